//go:build !explore

package sched

import (
	"errors"
	"testing"
	"time"
)

// withOutsiders returns a scheduler whose Choose takes turns among processors and goroutines
// outside.
func withOutsiders(processors int) *Scheduler {
	turns := map[int]int{}
	choose := func(ready []int) int {
		first := 0
		for i, n := range ready {
			if turns[n] < turns[ready[first]] {
				first = i
			}
		}
		turns[ready[first]]++
		return first
	}
	s := New(Config{Processors: processors, Choose: choose, Timed: &ticks{thefts: map[int]uint64{}}, Outside: true})
	s.Start()
	return s
}

func never() bool { return false }

// TestOutsidersTakeTurns has three goroutines inject tasks, and pause: others go on in between, all
// tasks run, and each goroutine sees its own.
func TestOutsidersTakeTurns(t *testing.T) {
	for _, processors := range []int{1, 2, 5} {
		s := withOutsiders(processors)
		me, ran, overlap := s.Outsider(), 0, false
		var others []*Outsider
		for range 3 {
			var o *Outsider
			o = s.Go(func() {
				if s.Outsider() != o {
					t.Error("another one runs")
				}
				for range 20 {
					before := ran
					s.Inject(&newJob(func(*Processor) {
						if s.Outsider() != nil {
							t.Error("in a task an outsider runs")
						}
						ran++
					}).Task)
					o.Pause(s)
					overlap = overlap || ran > before
				}
			})
			others = append(others, o)
		}
		for i, o := range others {
			if want := processors + 1 + i; o.Index() != want {
				t.Errorf("outsider %d has number %d, want %d", i, o.Index(), want)
			}
			if !me.Await(s, o.Ended, never) {
				t.Error("an outsider is lost")
			}
		}
		if err := me.AwaitIdle(t.Context(), s, always, never); err != nil {
			t.Error(err)
		}
		if ran != 60 || !overlap {
			t.Errorf("%d processors: %d of 60 tasks, in between: %v", processors, ran, overlap)
		}
		s.Stop(nil)
	}
}

// TestOutsidersAreLost has outsiders wait for what never comes: first goOn is asked, then the
// oldest one learns it, and what it does may let others go on.
func TestOutsidersAreLost(t *testing.T) {
	s := withOutsiders(2)
	me, asked, first, second := s.Outsider(), 0, true, true
	goOn := func() bool { asked++; return asked == 1 }
	done := false
	var one, two *Outsider
	one = s.Go(func() { first = one.Await(s, never, goOn); done = true })
	two = s.Go(func() { second = two.Await(s, func() bool { return done }, goOn) })
	if !me.Await(s, two.Ended, goOn) || first || !second {
		t.Errorf("the first one's wait: %v, the second one's: %v", first, second)
	}
	if asked != 2 {
		t.Errorf("goOn was asked %d times", asked)
	}
	if me.Await(s, never, goOn) {
		t.Error("what never comes has come")
	}
	if err := me.AwaitIdle(t.Context(), s, never, goOn); !errors.Is(err, ErrStalled) {
		t.Errorf("%v, want ErrStalled", err)
	}
	s.Stop(nil)
}

// TestNoOutsiders holds that other schedulers have none.
func TestNoOutsiders(t *testing.T) {
	timed, _ := timedScheduler(1, time.Nanosecond)
	for _, s := range []*Scheduler{started(t, 1), timed} {
		if s.Outsider() != nil {
			t.Error("there is an outsider")
		}
	}
	timed.Stop(nil)
}
