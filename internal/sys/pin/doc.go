// Package pin holds a goroutine on its P, the resource that Go's scheduler hands to a thread so
// that it may run Go code.
//
// Between Pin and Unpin the goroutine is not preempted and does not change its P, so one goroutine
// at a time uses the state of one P (for example, the slot of an array at the index of the P)
// without an atomic operation. The papers on which freerun rests call this an uncooperative block.
// It bounds the number of records of a reclamation scheme by the number of processors.
//
//	i := pin.Pin()
//	slot[i].count++ // exclusive where pin.Exclusive says so
//	pin.Unpin()
//
// # What may be done while pinned
//
//   - Reading and writing memory, atomics, a bounded loop over them: well under a microsecond in
//     all.
//   - Allocating a small object now and then. An allocation may have to help the collector, and a
//     goroutine that stops the world then waits for this section.
//   - Pinning again. Pins nest; each needs its Unpin, in the same goroutine.
//
// # What must not be done while pinned
//
//   - Block: a channel operation that has to wait, a sync.Mutex under contention, a system call,
//     time.Sleep, runtime.Gosched, starting a collection. The runtime throws ("fatal error:
//     schedule: holding locks"), and no recover catches that.
//   - Spin until another goroutine does something. That goroutine may need this P to do it, and a
//     collection that has stopped all other Ps waits for this one: the process hangs.
//   - Allocate much, copy much, or call foreign code (callbacks, methods of interfaces, String,
//     hashing of a user's keys). Each of them may do all of the above.
//   - Panic, or call a function that may panic, without an Unpin on the way out. Prefer to check
//     before pinning, since a deferred Unpin costs more than the pin.
//
// Stopping the world takes as long as the longest pinned section, wherever in the program it is.
//
// # Indices
//
// Where Exclusive is true, Pin returns an index from 0 up to, but not including, GOMAXPROCS as it
// is while pinned. GOMAXPROCS may grow at any time, and Go does not announce it. So after each Pin,
// code must check that its array has the index. If not, it unpins and lets the array grow. The
// array must not shrink with GOMAXPROCS, since a P that comes back expects its slot as it left it.
// Where Exclusive is false, the index is a stripe number, at least 0 and below a constant: the same
// check serves.
//
// # Waiting for sections
//
// A goroutine that has changed a shared condition may have to wait until all sections have ended
// that have not seen the change. [Tally] marks a section with two plain additions, without a
// barrier. [Rendezvous] makes up for that: it has all threads of the process execute a memory
// barrier, by the system call membarrier. Where a system has no such call, or a sandbox forbids it
// (seccomp, gVisor), each section executes a barrier. The package decides this when the process
// begins; FREERUN_PIN=fenced in the environment forces the barriers. [Status] returns the decision.
//
// # Implementations
//
// pin_runtime.go links to the functions of Go's runtime on which sync.Pool rests, and Exclusive is
// true. pin_portable.go is for builds with the tag freerun_portable, and for the race detector,
// which cannot see that two goroutines ran on one P one after the other. There Exclusive is false,
// and Pin returns a stripe that spreads goroutines out and excludes none. Code that relies on
// exclusion must ask Exclusive, which is a constant, and use atomics where it is false.
// pin_model.go is for exploring: a model thread has a processor of its own.
package pin
