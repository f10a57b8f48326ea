// Package gc collects objects in an arena of package offheap. Its heap holds objects that refer to
// each other, outside of Go's heap, and frees those that the program can no longer reach. It is
// lock-free, and never stops any goroutine.
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
//	err = heap.Collect(ctx)   // or heap.Step, or heap.Tend, or none: then allocating goroutines
//	                          // collect
//
// # When to use it
//
// Go's own collector is better for most programs: it finds all references by itself, and reading
// one costs nothing. Use this collector for very many small objects that live for long and refer to
// each other (graphs, trees, caches with links). Go's collector never looks at them, nor at the
// arena, and the arena bounds their memory. For records that do not refer to each other, or have an
// evident owner, package offheap alone is faster and simpler.
//
// # Rules
//
//   - The program reaches an object through a [Root], which must be dropped. The result of
//     [Root.Value] is valid as long as the root is held.
//   - Objects below a root can be read without roots of their own, by [Pointer.Value], while no
//     goroutine changes the references that lead to them.
//   - References between objects are fields of type [Pointer], read and written by Load, Store and
//     CompareAndSwap only. The object that contains the field must be held meanwhile. A Pointer
//     must not be copied, so an object with one must not be assigned as a whole; go vet sees that.
//   - Fields that are not Pointers are plain memory: goroutines that share them need the
//     synchronisation that they would need in Go's memory.
//   - A root that is not dropped holds its object for ever. [Stats] counts roots, and [Heap.Close]
//     refuses while there are any.
//
// Misuse that is detected always panics: a root that was dropped, a root or a field of another
// heap, a closed heap. A build with the tag freerun_debug also detects a Pointer that is in no
// object, or in a freed one. No build detects a *T that is used after its root was dropped, or
// after the reference that led to it was changed, nor an arena that is closed before its heap.
//
// # What is guaranteed
//
// Precise: only objects that roots reach stay, circles or not. Collect finds all objects that were
// garbage when it was called. Incremental: [Heap.Step] does as much of the work as the caller
// likes, so idle processors may do it. Concurrent and parallel: any number of goroutines collect
// while any number of others go on. No goroutine is paused.
//
// Lock-free: a goroutine that stops for good, anywhere, delays no other goroutine. While it stands
// still it may hold back:
//
//   - A mutator: the objects of its roots, one more if it stopped in Load, and all objects that
//     these reach; room for 8 objects of each type, which its processor had reserved; one block of
//     the arena, if it stopped in New while it was taking the block.
//   - A collector: the block of the chunk that it was looking into, or was about to give back. Room
//     for other objects of that type becomes free in the chunk all the same.
//
// The other collectors find and free everything else, in the cycle in progress or in the next one.
//
// # Costs
//
// An object takes its size, rounded up to 8 bytes, and one byte of Go's memory; it has no header.
// Objects of one type share chunks: blocks of 32 KiB, or as large as the object. A root has 24
// bytes where the program keeps it, and its slot takes 16 bytes of Go's memory.
//
// New, Load and Clone do one atomic exchange each, Store, Drop and both methods Value none. New
// does one compare-and-swap for up to eight objects. A cycle looks at each live object with two
// compare-and-swaps, and at eight dead objects with one.
//
// docs/algorithms/gc.md has the protocol and its proof, docs/adr/0028 the reasons.
package gc
