// Package gc collects objects in an arena of package offheap: a heap of objects that refer to each other, outside of Go's heap, of which those that
// nobody can reach any more are found and freed. It is lock-free, and nothing is ever stopped for it.
//
//	arena, err := offheap.New(1 << 30)
//	heap, err := gc.New(arena)
//
//	type person struct {
//		born    int
//		friends [2]gc.Pointer[person]
//	}
//	people, err := gc.For[person](heap)    // looks at the type, once
//
//	ada, err := people.New()               // a Root: it holds the object
//	ada.Value().born = 1815                // the object itself, in place
//	ada.Value().friends[0].Store(heap, charles)
//	friend := ada.Value().friends[0].Load(heap)
//	…
//	friend.Drop()
//
//	err = heap.Collect(ctx)                // or heap.Step, or heap.Tend, or nothing: then those who allocate collect
//
// # When to use it
//
// Go's own collector is better at most programs: it knows all references by itself, and reading one costs nothing. Use this one for very many small objects
// that live for long and refer to each other (graphs, trees, caches with links): Go's collector never looks at them, nor at the arena, and the memory
// they take is bounded by the arena. For records that do not refer to each other, or have an evident owner, package offheap alone is faster and simpler.
//
// # Rules
//
//   - An object is reached through a [Root], which must be dropped. What [Root.Value] returns is valid as long as the root is held.
//   - References between objects are fields of type [Pointer], read and written by Get and Set only; the object that a field is in must be held meanwhile. A Pointer
//     must not be copied, so no whole object with one may be assigned; go vet sees that.
//   - Fields that are not Pointers are plain memory: what several goroutines do there needs the synchronisation that it would need in Go's memory.
//   - A root that is not dropped holds its object for ever: nobody finds it. [Stats] has their number, and [Heap.Close] refuses while there are any.
//
// Misuse that is seen panics, always: a root that was dropped, a root or a field of another heap, a heap that was closed. A build with the tag freerun_debug also sees a
// Pointer that is in no object, or in one that was freed. What nothing sees: *T that is used after the root was dropped, and an arena that is closed before the
// heap.
//
// # What is guaranteed
//
// Precise: only what can be reached from roots stays, circles or not. Collect finds all that was garbage when it was called. Incremental: [Heap.Step] does as much of
// the work as one likes, so idle processors may do it. Concurrent and parallel: any number of goroutines collect while any number of others go on; no
// pause, for anybody.
//
// Lock-free: a goroutine that stops for good, in the middle of whatever it does, holds up nobody. What it may hold back, for as long as it stands still:
//
//   - one that uses the heap: the objects of the roots that it has, and one more if it stopped in Get, and what these reach; room for 8 objects of each type, which its processor had
//     reserved; one block of the arena, if it stopped in New while it was taking it;
//   - one that collects: the block of the chunk that it was looking into, or was about to give back. Room for other objects of that type becomes free in it all the same.
//
// Everything else is found and freed, by the other collectors, in the cycle that is in progress or in the next one.
//
// # Costs
//
// An object takes its size, rounded up to 8 bytes, and one byte of Go's memory beside it; it has no header. Objects of one type share chunks, blocks of 32 KiB or as
// large as the object. A root takes 24 bytes in Go's memory.
//
// New and Get do one atomic exchange each, Set, Drop and Value none; New does one compare-and-swap for up to eight objects. A cycle looks at
// each object that is alive with two compare-and-swaps, and at eight dead ones with one.
//
// docs/algorithms/gc.md has the protocol and why it is right; docs/adr/0028 why it is so.
package gc
