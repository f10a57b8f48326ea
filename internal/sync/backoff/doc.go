// Package backoff has ways to pass time between attempts. They must not be confused:
//
//   - [Backoff.Retry] follows a failed compare-and-swap in a loop that waits for no other thread.
//     Another thread has made progress, and the pause only keeps the cache line from moving to and
//     fro. Retry never yields the processor.
//   - [Backoff.Wait] is for a loop that ends only after a step of another thread. It pauses for a
//     few turns and then lets other goroutines run, since that thread may need this processor.
//   - [Backoff.Rest] is Wait with long pauses from the start, for a goroutine that competes with
//     another for a word that the other uses again and again.
//
// Neither sleeps. A caller that may wait long asks [Backoff.Spent] and parks (internal/sync/park).
// Nothing here may be called while pinned: Wait yields, and Retry delays the collector.
//
// With the build tag explore, Retry does nothing, because every turn of such a loop must be
// possible, and Wait makes the model thread wait until another one has written something.
//
//	pause_asm.go, pause_amd64.s, pause_arm64.s   the processor's pause instruction
//	pause_portable.go                            an empty loop: other architectures, other
//	                                             compilers, and the build tag freerun_portable
package backoff
