package freerun_test

import (
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
	"github.com/freerun-go/freerun/recording"
)

var traceTick = freerun.FreeOp("traceTick", func(*freerun.Context, int) (int, error) { return 0, nil })

// waits runs body, which waits for a chain of timers of so long in all, while rt is recorded. It
// checks that each run has its send, and that the span has the waits. In virtual time each event
// takes a nanosecond, by which the timers are ahead.
func waits(t *testing.T, rt *freerun.Runtime, all time.Duration, body func()) *recording.Trace {
	t.Helper()
	before := rt.Stats()
	tr := traced(t, rt, body)
	audit(tr).hold(t, tr, before, rt.Stats())
	a := recording.Analyze(tr)
	if a.Unknown != 0 || a.Span < int64(all)-1000 || a.Span > a.Elapsed {
		t.Errorf("%d sends are unknown; the span is %v, of %v elapsed with %v of waits in a row", a.Unknown, time.Duration(a.Span), time.Duration(a.Elapsed), all)
	}
	return tr
}

// TestTraceTimers records the messages of timers, on a live and on a deterministic runtime: each
// has its send, and follows from the operation that has set the timer.
func TestTraceTimers(t *testing.T) {
	const d = 3 * time.Millisecond
	for name, how := range map[string]freerun.Option{"live": freerun.Processors(2), "deterministic": freerun.Deterministic(3)} {
		t.Run(name, func(t *testing.T) {
			rt, _ := runtimetest.Start(t, how)
			u := freerun.NewUnit(rt, 0)
			tr := waits(t, rt, 2*d, func() {
				runtimetest.Must(t, freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
					_, stopped := traceLeaf.SendAfter(c, time.Hour, u, 1)
					stopped.Stop()
					f, _ := traceLeaf.SendAfter(c, d, u, 1)
					g := freerun.Then(c, f, func(c *freerun.Context, n int) (int, error) {
						f, _ := traceLeaf.SendAfter(c, d, u, n)
						return freerun.Forward(c, f)
					})
					return freerun.Forward(c, g)
				}))
			})
			timers := 0
			for _, m := range tr.Messages()[1:] {
				if tr.Operation(m.Operation) == freerun.NameOf(traceLeaf) {
					if timers++; m.Sender == 0 || m.SentBy != recording.Outside {
						t.Errorf("a timer's message has no sender: %+v", m)
					}
				}
			}
			if timers != 2 || tr.Sent != 4 {
				t.Errorf("timers sent 2 of 4 messages; recorded are %d of %d", timers, tr.Sent)
			}
			waits(t, rt, d, func() {
				after := freerun.After(rt.Context(), d)
				runtimetest.Must(t, freerun.Then(rt.Context(), after, func(*freerun.Context, time.Time) (int, error) { return 0, nil }))
			})
			tr = waits(t, rt, 4*d, func() {
				every := traceTick.Every(rt.Context(), d, 0)
				after := freerun.After(rt.Context(), 4*d+d/2)
				runtimetest.Must(t, freerun.Then(rt.Context(), after, func(*freerun.Context, time.Time) (int, error) {
					every.Stop()
					return 0, nil
				}))
			})
			ticks, last := 0, uint32(0)
			for i, m := range tr.Messages() {
				if tr.Operation(m.Operation) != freerun.NameOf(traceTick) {
					continue
				}
				// On a live runtime a tick may end before the timer's goroutine comes to wait for
				// it. Then that goroutine sets the timer again.
				if ticks++; m.Sender != last && (m.Sender != 0 || name == "deterministic") {
					t.Errorf("tick %d follows from message %d, and should from %d, the one before", ticks, m.Sender, last)
				}
				last = uint32(i)
			}
			if ticks == 0 || name == "deterministic" && ticks != 4 {
				t.Errorf("%d ticks are recorded", ticks)
			}
		})
	}
}
