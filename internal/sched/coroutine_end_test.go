package sched

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/freerun-go/freerun/internal/verify/conformance"
	"github.com/freerun-go/freerun/internal/verify/replay"
)

// medley is a task whose coroutines switch to one another, and end, in any order.
type medley struct {
	Task
	t      *testing.T
	random *rand.Rand
	rest   []*Coroutine // suspended
	left   int          // how many may still be made
}

// TestCoroutinesEndInAnyOrder holds that, wherever coroutines are parked when they end, each
// continues when it is its turn and at no other time, and all goroutines end.
func TestCoroutinesEndInAnyOrder(t *testing.T) {
	seed := replay.Seed(t)
	rounds := 200
	if testing.Short() || conformance.RaceDetector {
		rounds = 10 // the race detector takes 5 ms for each coroutine ever made
	}
	for round := range uint64(rounds) {
		s := New(Config{Processors: 1})
		m := &medley{t: t, random: rand.New(rand.NewPCG(seed, round)), left: 60}
		m.Kind = medleyKind
		s.Inject(&m.Task)
		s.Start()
		if err := s.AwaitIdle(context.Background(), func() bool { return true }); err != nil {
			t.Fatal(err)
		}
		s.Stop(nil)
	}
	for range 1000 {
		if len(Coroutines()) == 0 {
			break
		}
		runtime.Gosched() // stopped coroutines end by themselves
	}
	pendingEnds.Range(func(_, co any) bool {
		t.Errorf("coroutine %d did not come home", co.(*Coroutine).number)
		return true
	})
}

var medleyKind = &Kind{Run: func(p *Processor, t *Task) { (*medley)(unsafe.Pointer(t)).conduct(p) }}

// conduct is the host's part: it enters coroutines until none are left.
func (m *medley) conduct(p *Processor) {
	for co := m.any(); co != nil; co = m.any() {
		as := p
		if m.random.IntN(4) == 0 {
			as = nil
		}
		*co.Local.(*bool) = true
		left, _, alive := co.Enter(as)
		m.suspended(left, alive)
	}
	if m.left > 0 {
		m.t.Errorf("%d were not made", m.left)
	}
}

// any returns a coroutine that can be entered, now and then a new one.
func (m *medley) any() *Coroutine {
	if m.left > 0 && (len(m.rest) == 0 || m.random.IntN(3) == 0) {
		m.left--
		co := NewCoroutine(m.dance)
		co.Local = new(bool) // whether it is its turn
		return co
	}
	if len(m.rest) == 0 {
		return nil
	}
	i := m.random.IntN(len(m.rest))
	co := m.rest[i]
	m.rest = slices.Delete(m.rest, i, i+1)
	return co
}

// suspended notes the coroutine that ran last.
func (m *medley) suspended(co *Coroutine, alive bool) {
	*co.Local.(*bool) = false
	if alive {
		m.rest = append(m.rest, co)
	}
}

// dance is the body of a coroutine.
func (m *medley) dance(co *Coroutine) {
	m.arrive(co)
	for {
		switch m.random.IntN(8) {
		case 0:
			return
		case 1:
			runtime.Goexit()
		case 2, 3:
			co.Suspend()
		default:
			other := m.any()
			if other == nil || co.Processor() == nil {
				if other != nil {
					m.rest = append(m.rest, other)
				}
				co.Suspend()
				break
			}
			*other.Local.(*bool) = true
			co.SwitchTo(other)
		}
		m.arrive(co)
	}
}

func (m *medley) arrive(co *Coroutine) {
	if !*co.Local.(*bool) {
		m.t.Errorf("coroutine %d runs, and it is not its turn", co.number)
	}
	if co.Processor() != nil && CurrentCoroutine() != co {
		m.t.Errorf("coroutine %d is not the one that runs", co.number)
	}
	if left := co.Predecessor(); left != nil {
		m.suspended(left, true)
	}
}
