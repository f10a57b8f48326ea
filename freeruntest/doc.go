// Package freeruntest tests programs of package freerun under many orders of events.
//
// [Explore] runs a test body again and again, each time in a new deterministic runtime under
// another schedule. If the body fails under one, Explore prints its seed and the command that
// repeats exactly that run. That is `freerun test` if this has compiled the test: activities change
// turns at checks, too, then, and where they wait for a lock of package sync or a channel.
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
// A schedule decides the order in which operations run and messages are sent: at the beginning of
// each operation and at each send another processor may go on. So operations of different units
// interleave as they would on many cores, as far as messages can tell. Activities change turns
// where they wait, yield or send, and nowhere else: a lock that is free is taken without a change.
// An activity that yields before it takes a second lock lets Explore find a deadlock of both. Code
// in Block waits for nothing that the runtime has yet to run: see [freerun.Context.Block].
//
// The body itself runs in one piece, from one wait to the next: what it sends in between is sent
// before any of it runs, under every schedule. So senders that race are operations or activities:
//
//	freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { … }) // one of them
//
// Half of the schedules are drawn at random. The other half gives priorities to the processors and
// changes these at a few random places; it finds bugs that need one unit to be very late. Source:
// S. Burckhardt, P. Kothari, M. Musuvathi and S. Nagarakatte, A randomized scheduler with
// probabilistic guarantees of finding bugs, ASPLOS 2010 (PCT).
//
// The body itself must be deterministic: it starts no goroutines that send, depends on no order of
// a map, draws numbers from [Random] only, and uses the runtime's clock only: [freerun.Runtime.Now]
// instead of time.Now, in operations too. That clock jumps to the next timer when nothing is left
// to run. So this lets a minute pass at once:
//
//	freerun.After(rt.Context(), time.Minute).Wait(t.Context())
package freeruntest
