// Package explore runs small concurrent programs through all their interleavings, or through many
// random ones, and reports the first that goes wrong. It explores the real code: with the build tag
// explore, the words of internal/sync/atomics pause before each access (internal/verify/memory),
// and this package decides which thread goes on. Threads are coroutines; one runs at a time.
//
//	explore.Exhaustive(t, 2, func(r *explore.Run) {
//		var s queue.Stack[int]
//		r.Go("pusher", func() { s.Push(1) })
//		r.Go("popper", func() {
//			if v, ok := s.TryPop(); ok && v != 1 {
//				r.Failf("popped %d", v)
//			}
//		})
//	})
//
// The body makes fresh state and declares two to four threads. It is called once for each execution
// and must do the same each time: it may not depend on time, chance or the order of maps, nor use
// goroutines, channels or locks of Go. An execution is wrong if a thread panics or calls
// [Run.Failf], if accesses to a plain field race, if all threads wait (deadlock, lost wake-up), or
// if the threads keep each other from ending. Then the test fails and prints the steps that led
// there, and the command that repeats them.
//
//	[Exhaustive]  all interleavings up to a number of preemptions, by partial-order reduction
//	[Random]      random ones with few preemptions, for programs too large for Exhaustive
//	[Freeze]      one thread stopped for good at each of its steps; the others must end
//	[MustFail]    the opposite of Exhaustive, for controls: a seeded bug must be found
//	[MustBlock]   the opposite of Freeze
//
// Coverage: Go's atomics are sequentially consistent, and the accesses to the plain fields of a
// protocol are checked for races, so the interleavings of atomic steps are all the behaviours there
// are. Relaxed and release stores go through store buffers, as on amd64, in random executions, in
// Freeze, and in searches without a bound; in a search with a bound they are visible at once. A
// search with a bound on preemptions misses bugs that need more of them; most need one or two (M.
// Musuvathi and S. Qadeer, Iterative context bounding, PLDI 2007). A loop that spins must not count
// its turns or do something else after a number of them: the number of turns is not explored.
//
// Environment:
//
//	FREERUN_SCHEDULE  the schedule that a failure printed: repeats it, with its trace
//	FREERUN_EXPLORE   "long": more preemptions, and a hundred times as many random executions
//	FREERUN_GATE      a file to which each exploration adds its result, as a line of JSON
package explore
