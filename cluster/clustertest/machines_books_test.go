package clustertest

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// sharedBooks has the books of books_test.go on several machines.
type sharedBooks struct {
	*machines
	sent   []sentStep
	direct map[int]bool // steps
	reads  []sentLook
}

// act does something at random.
func (s *sharedBooks) act(m *machine) {
	c, ctx := m.rt.Context(), context.Background()
	of, key := s.random.IntN(len(books)), s.random.IntN(keys)
	switch s.random.IntN(12) {
	case 0:
		f := look.Send(c, books[of].At(c, key), struct{}{})
		s.reads = append(s.reads, sentLook{of, key, f})
		if s.random.IntN(2) == 0 {
			_, _ = f.Wait(ctx)
		}
	case 1:
		books[of].Stop(c, key)
	case 2, 3:
		m.rests(s.upTo(400 * time.Millisecond))
	default:
		s.names++
		x := step{ID: s.names, Fails: s.random.IntN(10) == 0}
		x.trouble = s.trouble()
		if s.random.IntN(2) == 0 {
			x.Tells = &target{s.random.IntN(len(books)), s.random.IntN(keys), s.trouble()}
		}
		if s.random.IntN(4) == 0 {
			s.direct[x.ID] = true
			c = cluster.Direct(c)
		}
		f := note.Send(c, books[of].At(c, key), x)
		s.logf("%12v %s sends %+v to %d %d, direct: %v", s.Now(), m.name, x, of, key, s.direct[x.ID])
		s.sent = append(s.sent, sentStep{x, of, key, f})
		if s.random.IntN(4) == 0 {
			_, err := f.Wait(ctx)
			s.logf("%12v %s has the outcome of %d: %v", s.Now(), m.name, x.ID, err)
		}
	}
}

func (s *machines) trouble() (t trouble) {
	switch random := s.random; random.IntN(30) {
	case 0, 1, 2:
		t.Panics = 1 + random.IntN(3)
	case 3:
		t.Exits = true
	case 4:
		t.Spoils = true
	case 5:
		t.Waits = true
	case 6:
		t.Ends = random.IntN(2) == 0
	}
	return t
}

// check compares what the units have with the outcomes, on the last machine.
func (s *sharedBooks) check(m *machine) {
	ran, heard := map[int][]int{}, map[int]int{} // step → unit and place; how often it was told
	final := map[[2]int]book{}
	for of := range books {
		for key := range keys {
			b, err := look.Send(m.rt.Context(), books[of].At(m.rt.Context(), key), struct{}{}).Wait(context.Background())
			if err != nil {
				s.Errorf("book %d of kind %d: %v", key, of, err)
				continue
			}
			s.logf("%12v book %d %d: %v, told %v", s.Now(), of, key, b.Ran, b.Told)
			final[[2]int{of, key}] = b
			for i, id := range b.Ran {
				if ran[id] != nil {
					s.Errorf("step %d ran twice", id)
				}
				ran[id] = []int{of, key, i}
			}
			for _, id := range b.Told {
				heard[id]++
			}
		}
	}
	s.store.Each(func(_ int, key string, value []byte) {
		if key[:1] == layout.Failure {
			t, _, err := layout.DecodeTell(value)
			if err != nil {
				s.Errorf("a recorded failure: %v", err)
			}
			id, _ := strconv.Atoi(idOf.FindString(string(t.Arg)))
			if t.Operation == "hear" { // others were sent by machines, and carried by a folder
				heard[id]++
			} else if ran[id] != nil {
				s.Errorf("step %d is there, and a recorded failure", id)
			}
			s.sum["recorded failures"]++
		}
	})
	s.checkTold(ran, heard, final)
	s.checkOutcomes(ran)
	for _, x := range s.reads {
		if seen, err := x.outcome.Wait(context.Background()); err == nil {
			s.sum["reads"]++
			if now := final[[2]int{x.of, x.key}]; !isPrefix(seen.Ran, now.Ran) || !isPrefix(seen.Told, now.Told) {
				s.Errorf("a read has seen %v of book %d of kind %d, which has %v now", seen, x.key, x.of, now)
			}
		}
	}
}

// checkTold holds that what a step has told came once, or is a recorded failure, if and only if the
// step is there; and in the order of its unit.
func (s *sharedBooks) checkTold(ran map[int][]int, heard map[int]int, final map[[2]int]book) {
	for _, x := range s.sent {
		want := 0
		if ran[x.step.ID] != nil && x.step.Tells != nil {
			want = 1
			s.sum["told"]++
		}
		if heard[x.step.ID] != want {
			s.Errorf("step %d was told %d times, want %d", x.step.ID, heard[x.step.ID], want)
		}
	}
	for _, b := range final {
		last := map[[2]int]int{}
		for _, id := range b.Told {
			if at := ran[id]; at != nil {
				if from := [2]int{at[0], at[1]}; at[2] < last[from] {
					s.Errorf("step %d was told too late", id)
				} else {
					last[from] = at[2]
				}
			}
		}
	}
}

// checkOutcomes holds that what was acknowledged is there, once, at the place that its outcome
// tells, and that what has failed is not.
func (s *sharedBooks) checkOutcomes(ran map[int][]int) {
	for _, x := range s.sent {
		n, err := x.outcome.Wait(context.Background())
		at := ran[x.step.ID]
		var p *freerun.PanicError
		switch {
		case err == nil && (at == nil || at[2] != n-1):
			s.Errorf("step %d was acknowledged as number %d, and is at %v", x.step.ID, n, at)
		case err != nil && err.Error() == errOdd.Error() && at == nil:
			s.Errorf("step %d was acknowledged, and is not there", x.step.ID)
		case err == nil, err.Error() == errOdd.Error():
			s.sum["acknowledged"]++
		case errors.Is(err, freerun.ErrClosed), errors.Is(err, engine.ErrUncertain):
			s.sum["unknown"]++
		case errors.Is(err, cluster.ErrNotRun), errors.Is(err, cluster.ErrNoSpace), errors.Is(err, engine.ErrClosed):
			s.sum["not sent"]++
			if at != nil {
				s.Errorf("step %d was not sent, as its outcome says, and is there: %v", x.step.ID, err)
			}
		case strings.Contains(err.Error(), "ends the process"):
			s.sum["ended their processes"]++
			if at != nil {
				s.Errorf("step %d has failed with %v, and is there", x.step.ID, err)
			}
		case errors.As(err, &p), x.step.Panics == 3, x.step.Exits, x.step.Waits, x.step.Spoils:
			s.sum["failed"]++
			if at != nil {
				s.Errorf("step %d has failed with %v, and is there", x.step.ID, err)
			}
		default:
			s.Errorf("step %+v: %v", x.step, err)
		}
	}
}

// TestMachinesBooks has units run on several machines, tell, panic, and become passive, while
// machines crash, leave and are cut off, and calls to the store are lost, late, doubled and
// overtaken.
func TestMachinesBooks(t *testing.T) {
	runMachines(t, machinePrograms[0], "acknowledged", "failed", "unknown", "told", "reads", "recorded failures")
}
