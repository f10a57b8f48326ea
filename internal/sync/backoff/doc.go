// Package backoff has the two ways to pass the time between attempts, which must not be confused:
//
//   - [Backoff.Retry] after a compare-and-swap that failed, in a loop that needs nobody: another thread has made progress, and the
//     pause only keeps the cache line from going to and fro. It never lets go of the processor.
//   - [Backoff.Wait] in a loop that can end only once another thread has done something: it pauses a few times, and then
//     lets other goroutines run, since the one that is waited for may need this processor.
//
// Neither sleeps. Who may have to wait long asks [Backoff.Spent] and parks (internal/sync/park). Nothing here may be called while pinned:
// Wait yields, and Retry delays the collector.
//
// In builds with the tag explore Retry does nothing, as every turn of such a loop must be possible, and Wait makes the
// model thread wait until another one has written something.
//
//	pause_asm.go, pause_amd64.s, pause_arm64.s   the processor's pause instruction
//	pause_portable.go                            an empty loop, for other architectures, other compilers, and builds with the tag freerun_portable
package backoff
