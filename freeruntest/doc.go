// Package freeruntest tests programs of package freerun under many orders of events: [Explore] runs a test body again and again, each time in a
// deterministic runtime with another schedule, and if one makes the body fail, prints the seed and the line that runs it again, exactly.
//
//	func TestTransfer(t *testing.T) {
//		freeruntest.Explore(t, func(rt *freerun.Runtime) {
//			a, b := freerun.NewUnit(rt, 100), freerun.NewUnit(rt, 0)
//			…
//			if sum != 100 {
//				t.Errorf("money was lost: %d", sum)
//			}
//		})
//	}
//
// What is explored is the order in which operations run and messages are sent: another processor may go on wherever an operation begins, and
// wherever it sends. Operations of different units thus interleave as they would on many cores, as far as
// messages can tell. Half of the schedules are drawn at random; the other half gives processors priorities, which change at a few random
// places (PCT: S. Burckhardt, P. Kothari, M. Musuvathi and S. Nagarakatte, A randomized scheduler with probabilistic guarantees of
// finding bugs, ASPLOS 2010): it finds bugs that need one unit to be very late.
//
// The body must itself be deterministic: no goroutines that send, no maps whose order matters, no clock but the runtime's.
package freeruntest
