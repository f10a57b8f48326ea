// Package explore runs small concurrent programs through all their interleavings, or through many
// random ones, and says which one goes wrong. It explores the real code: with the tag explore, the
// atomics of internal/sync/atomics and what is built on them stop before each access
// (internal/verify/memory), and the machine here decides which thread goes on. Threads are
// coroutines, of which one runs at a time.
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
// The body makes fresh state and declares two to four threads; it is called once for each
// execution, and must do the same each time: no time, chance, order of maps, goroutines, channels
// or locks of Go. An execution is wrong if a thread panics or calls [Run.Failf], if accesses to a
// plain field race, if all threads wait (deadlock, lost wake-up), or if they keep each other from
// ending. Then the test fails, prints the steps that lead there, and the line that repeats them.
//
//	[Exhaustive]  all interleavings with at most so many preemptions, by partial-order reduction
//	[Random]      random ones with few preemptions, for what is too large
//	[Freeze]      one thread stopped for good at each of its steps: whether the others end
//	[MustFail]    the opposite of Exhaustive, for controls: a seeded bug must be found
//	[MustBlock]   the opposite of Freeze
//
// What exploring covers, and what not: Go's atomics are sequentially consistent and accesses to
// plain fields that matter are checked for races, so interleavings of atomic steps are all there
// is. Relaxed and release stores go through store buffers, as on amd64, in random executions, in
// Freeze, and where there is no bound; with a bound they are visible at once. With a bound on
// preemptions, bugs that need more are not found; most need one or two (M. Musuvathi and S. Qadeer,
// Iterative context bounding, PLDI 2007). A loop that spins must not count its turns, or come to
// something else after so many: how often it turns is not explored.
//
// Environment:
//
//	FREERUN_SCHEDULE  the schedule that a failure printed: repeats it, with its trace
//	FREERUN_EXPLORE   "long": more preemptions, and a hundred times as many random executions
//	FREERUN_GATE      a file to which each exploration adds its result, as a line of JSON
package explore
