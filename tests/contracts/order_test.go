package contracts_test

import (
	"sync"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// Contract 2: the messages of a unit run in the order in which they became ready. Messages that
// were ready when sent run in the order in which they were sent.

func checkSequence(t *testing.T, u *freerun.Unit[runtimetest.Sequence], rt *freerun.Runtime, senders, each int) {
	t.Helper()
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	runtimetest.Must(t, freerun.Do(rt.Context(), u, func(_ *freerun.Context, s *runtimetest.Sequence) (int, error) {
		if len(s.Wrong) > 0 {
			t.Errorf("%d messages out of order, first %v", len(s.Wrong), s.Wrong[0])
		}
		for sender := range senders {
			if s.Next[sender] != each {
				t.Errorf("sender %d: %d of %d messages", sender, s.Next[sender], each)
			}
		}
		return 0, nil
	}))
}

func TestOrderFromOutside(t *testing.T) {
	const senders, each = 6, 5000
	for _, processors := range []int{1, 3} {
		rt, _ := runtimetest.Start(t, freerun.Processors(processors))
		u := freerun.NewUnit(rt, runtimetest.Sequence{Next: map[int]int{}})
		var wg sync.WaitGroup
		for s := range senders {
			wg.Go(func() {
				for i := range each {
					if i%3 == 0 { // sent and told messages keep one order
						runtimetest.Record.Send(rt.Context(), u, runtimetest.Stamp{Sender: s, Number: i})
					} else if err := runtimetest.Record.Tell(rt.Context(), u, runtimetest.Stamp{Sender: s, Number: i}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		checkSequence(t, u, rt, senders, each)
	}
}

type source struct{ sent int }

func TestOrderFromInside(t *testing.T) {
	const senders, each, burst = 4, 4000, 40
	rt, _ := runtimetest.Start(t, freerun.Processors(3))
	u := freerun.NewUnit(rt, runtimetest.Sequence{Next: map[int]int{}})
	for s := range senders {
		from := freerun.NewUnit(rt, source{})
		for range each / burst {
			freerun.Do(rt.Context(), from, func(c *freerun.Context, src *source) (int, error) {
				for range burst {
					if err := runtimetest.Record.Tell(c, u, runtimetest.Stamp{Sender: s, Number: src.sent}); err != nil {
						return 0, err
					}
					src.sent++
				}
				return 0, nil
			})
		}
	}
	checkSequence(t, u, rt, senders, each)
}

// TestOrderOfBecomingReady lets several messages wait for one future. They run in the order in
// which they were sent, but after a message that was ready at once.
func TestOrderOfBecomingReady(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	g := runtimetest.NewGate()
	late := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { g.Pass(); return 7, nil })
	<-g.Entered
	u := freerun.NewUnit(rt, []int{})
	note := func(arg heldBack) freerun.Future[int] { return appendHeld.Send(rt.Context(), u, arg) }
	a, b := note(heldBack{late, 1}), note(heldBack{late, 2})
	c := note(heldBack{n: 3})
	runtimetest.Must(t, c)
	close(g.Opened)
	runtimetest.Must(t, a)
	runtimetest.Must(t, b)
	got := runtimetest.Must(t, freerun.Do(rt.Context(), u, func(_ *freerun.Context, s *[]int) ([]int, error) { return *s, nil }))
	if len(got) != 3 || got[0] != 3 || got[1] != 1 || got[2] != 2 {
		t.Errorf("ran in order %v, want [3 1 2]", got)
	}
}

type heldBack struct {
	until freerun.Future[int]
	n     int
}

var appendHeld = freerun.Op("appendHeld", func(_ *freerun.Context, s *[]int, h heldBack) (int, error) {
	*s = append(*s, h.n)
	return h.n, nil
})
