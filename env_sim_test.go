package freerun_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
	"github.com/freerun-go/freerun/internal/simhost"
)

// recorded is a schedule that is drawn from a seed, and logs the operations that begin.
type recorded struct {
	random *rand.Rand
	log    []string
}

func newRecorded(seed uint64) *recorded { return &recorded{random: rand.New(rand.NewPCG(seed, 1))} }

func (r *recorded) Choose(ready []int) int { return r.random.IntN(len(ready)) }
func (r *recorded) Began(processor int, operation string) {
	r.log = append(r.log, fmt.Sprint(processor, operation))
}

// play runs a program with all kinds of sends under a schedule, and returns its outcome.
func play(t *testing.T, r *recorded, processors int) string {
	rt, _ := runtimetest.Start(t, simhost.Option[freerun.Option](r), freerun.Processors(processors))
	units := []*freerun.Unit[relay]{}
	for range 5 {
		units = append(units, freerun.NewUnit(rt, relay{}, freerun.MailboxLimit(3, freerun.WaitForRoom)))
	}
	for i, u := range units {
		runtimetest.Must(t, freerun.Do(rt.Context(), u, func(_ *freerun.Context, r *relay) (int, error) {
			r.to = []*freerun.Unit[relay]{units[(i+1)%len(units)], units[(i+2)%len(units)]}
			return 0, nil
		}))
	}
	for i := range 20 {
		passOn.Tell(rt.Context(), units[i%len(units)], 4)
	}
	sum := smallFib.Send(rt.Context(), 15)
	broken := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
		c.Block(func() { passOn.Tell(c, units[0], 3) })
		panic("oh")
	})
	gone := freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) { runtime.Goexit(); return 0, nil })
	if v := runtimetest.Must(t, sum); v != 610 {
		t.Errorf("fib(15) = %d", v)
	}
	if _, err := broken.Wait(runtimetest.Within(t)); err == nil {
		t.Error("no panic")
	}
	if _, err := gone.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrGoexit) {
		t.Errorf("Goexit came to %v", err)
	}
	if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
		t.Fatal(err)
	}
	if s := rt.Stats(); s.Sent != s.Done {
		t.Errorf("stats %+v", s)
	}
	counts := []int{}
	for _, u := range units {
		counts = append(counts, runtimetest.Must(t, freerun.Do(rt.Context(), u, func(_ *freerun.Context, r *relay) (int, error) { return r.got, nil })))
	}
	if err := rt.Shutdown(runtimetest.Within(t)); err != nil {
		t.Error(err)
	}
	return fmt.Sprint(counts)
}

// TestDeterministic: the outcome is the same under all schedules. The order of events is the same
// under the same schedule, and differs under another.
func TestDeterministic(t *testing.T) {
	for _, processors := range []int{1, 2, 5} {
		var first, other *recorded
		want := ""
		for seed := range uint64(max(runtimetest.Repeats(10), 2)) {
			a, b := newRecorded(seed), newRecorded(seed)
			result := play(t, a, processors)
			if again := play(t, b, processors); again != result || !slices.Equal(a.log, b.log) {
				t.Fatalf("%d processors, seed %d: two runs differ", processors, seed)
			}
			if want == "" {
				want = result
			}
			if result != want {
				t.Errorf("%d processors, seed %d: %s, before %s", processors, seed, result, want)
			}
			first, other = a, first
		}
		if processors > 1 && slices.Equal(first.log, other.log) {
			t.Errorf("%d processors: two seeds, and the same order", processors)
		}
	}
}

// TestDeterministicEndsWithContext has an operation send itself for ever: Quiesce and Shutdown
// return when their context is done.
func TestDeterministicEndsWithContext(t *testing.T) {
	for name, wait := range map[string]func(rt *freerun.Runtime, ctx context.Context) error{
		"Quiesce":  (*freerun.Runtime).Quiesce,
		"Shutdown": (*freerun.Runtime).Shutdown,
	} {
		t.Run(name, func(t *testing.T) {
			rt := freerun.New(freerun.Deterministic(1))
			defer rt.Close()
			ctx, cancel := context.WithCancel(context.Background())
			steps := 0
			var step func(c *freerun.Context) (int, error)
			step = func(c *freerun.Context) (int, error) {
				if steps++; steps == 1000 {
					cancel()
				}
				if c.Err() == nil && steps < 10_000_000 {
					freerun.Go(c, step)
				}
				return 0, nil
			}
			freerun.Go(rt.Context(), step)
			if err := wait(rt, ctx); !errors.Is(err, context.Canceled) || steps > 2000 {
				t.Errorf("%v after %d steps", err, steps)
			}
		})
	}
}

// TestDeterministicStalls: a goroutine that waits in vain gets ErrStalled, and may wait again
// later.
func TestDeterministicStalls(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Deterministic(1))
	other, _ := runtimetest.Start(t, freerun.Deterministic(2))
	ready := freerun.Go(other.Context(), func(*freerun.Context) (int, error) { return 1, nil })
	waits := freerun.Then(rt.Context(), ready, func(_ *freerun.Context, v int) (int, error) { return v + 1, nil })
	if _, err := waits.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrStalled) {
		t.Errorf("Wait: %v", err)
	}
	if err := rt.Quiesce(runtimetest.Within(t)); !errors.Is(err, freerun.ErrStalled) {
		t.Errorf("Quiesce: %v", err)
	}
	runtimetest.Must(t, ready)
	if v := runtimetest.Must(t, waits); v != 2 {
		t.Errorf("then %d", v)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	never := freerun.Then(rt.Context(), freerun.Go(other.Context(), func(*freerun.Context) (int, error) { return 1, nil }),
		func(*freerun.Context, int) (int, error) { return 0, nil })
	if _, err := never.Wait(cancelled); !errors.Is(err, context.Canceled) {
		t.Errorf("Wait with a context that is done: %v", err)
	}
	var left *freerun.ShutdownError
	if err := rt.Shutdown(runtimetest.Within(t)); !errors.As(err, &left) || left.Abandoned != 1 || !errors.Is(err, freerun.ErrStalled) {
		t.Errorf("Shutdown: %v", err)
	}
	if _, err := never.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

// TestDeterministicMailbox: an ordinary goroutine that finds a mailbox full makes room by running
// the unit.
func TestDeterministicMailbox(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Deterministic(1))
	u := freerun.NewUnit(rt, 0, freerun.MailboxLimit(2, freerun.WaitForRoom))
	for range 100 {
		if err := runtimetest.AddOne.Tell(rt.Context(), u, 1); err != nil {
			t.Fatal(err)
		}
	}
	if v := runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 0)); v != 100 || u.Stats().Peak > 2 {
		t.Errorf("counted %d, stats %+v", v, u.Stats())
	}
}

// TestDeterministicTime: hours of virtual time pass at once. Timers fire in the order of the clock,
// and in the same order each time.
func TestDeterministicTime(t *testing.T) {
	play := func(seed uint64) string {
		rt, _ := runtimetest.Start(t, freerun.Deterministic(seed))
		begun := rt.Now()
		u := freerun.NewUnit(rt, []int(nil))
		s := rt.Scope(t.Context())
		for i := range 5 {
			appended.SendAfter(s.Context(), time.Duration(5-i)*time.Hour, u, i)
		}
		every := appended.Every(rt.Context(), 2*time.Hour, u, 9)
		at := runtimetest.Must(t, freerun.After(rt.Context(), 3*time.Hour+time.Minute))
		if passed := at.Sub(begun); passed != 3*time.Hour+time.Minute || rt.Now() != at {
			t.Errorf("after 3 h 1 min %v have passed, and it is %v", passed, rt.Now())
		}
		if !every.Stop() {
			t.Error("the repetition could not be stopped")
		}
		if err := s.Wait(runtimetest.Within(t)); err != nil {
			t.Error(err)
		}
		got := runtimetest.Must(t, freerun.Do(rt.Context(), u, func(_ *freerun.Context, s *[]int) (string, error) { return fmt.Sprint(*s), nil }))
		if passed := rt.Now().Sub(begun); passed != 5*time.Hour {
			t.Errorf("in the end %v have passed", passed)
		}
		return got
	}
	for seed := range uint64(20) {
		got := play(seed)
		if again := play(seed); again != got {
			t.Fatalf("seed %d: %s, again %s", seed, got, again)
		}
		if got != "[4 3 9 2 1 0]" && got != "[4 9 3 2 1 0]" { // two are due at 2 h
			t.Errorf("seed %d: %s", seed, got)
		}
	}
}

// TestDeterministicCancel: when a scope is canceled, its timers fail before the clock goes on.
func TestDeterministicCancel(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Deterministic(3))
	begun := rt.Now()
	s := rt.Scope(t.Context())
	u := freerun.NewUnit(rt, 0)
	later, _ := runtimetest.AddOne.SendAfter(s.Context(), time.Hour, u, 1)
	freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { s.Cancel(nil); return 0, nil })
	if _, err := later.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCanceled) || rt.Now() != begun {
		t.Errorf("a timer of a canceled scope: %v at %v", err, rt.Now())
	}
	if err := s.Wait(runtimetest.Within(t)); !errors.Is(err, freerun.ErrCanceled) {
		t.Errorf("the scope: %v", err)
	}
}

// TestDeterministicCancelOrder: the timers of a canceled scope fail in the order in which they
// began, each time.
func TestDeterministicCancelOrder(t *testing.T) {
	for range 20 {
		rt, _ := runtimetest.Start(t, freerun.Deterministic(1), freerun.Processors(1))
		s := rt.Scope(t.Context())
		u := freerun.NewUnit(rt, []int(nil))
		for i := range 8 {
			freerun.Handle(rt.Context(), freerun.After(s.Context(), time.Hour), func(c *freerun.Context, _ time.Time, _ error) (freerun.Future[int], error) {
				return freerun.Do(c, u, func(_ *freerun.Context, all *[]int) (int, error) {
					*all = append(*all, i)
					return 0, nil
				}), nil
			})
		}
		s.Cancel(nil)
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
			t.Fatal(err)
		}
		got := runtimetest.Must(t, freerun.Do(rt.Context(), u, func(_ *freerun.Context, all *[]int) (string, error) { return fmt.Sprint(*all), nil }))
		if got != "[0 1 2 3 4 5 6 7]" && got != "[7 6 5 4 3 2 1 0]" {
			t.Fatalf("they failed in the order %s", got)
		}
	}
}

// TestDeterministicJoin: if the second branch of an ordinary goroutine's join has begun and not
// ended when the first branch ends, the join runs it on.
func TestDeterministicJoin(t *testing.T) {
	for seed := range uint64(50) {
		rt, _ := runtimetest.Start(t, freerun.Deterministic(seed))
		u := freerun.NewUnit(rt, 0)
		x, y := freerun.Join(rt.Context(), func(c *freerun.Context) int {
			return runtimetest.Must(t, runtimetest.AddOne.Send(c, u, 1))
		}, func(c *freerun.Context) int {
			for range 5 {
				runtimetest.AddOne.Send(c, u, 1)
			}
			return 5
		})
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil || x < 1 || y != 5 {
			t.Errorf("seed %d: %d and %d, %v", seed, x, y, err)
		}
	}
}

// TestDeterministicAddresses: the addresses of units, which differ from run to run, do not affect
// the order of operations on several units.
func TestDeterministicAddresses(t *testing.T) {
	nothing := func(*freerun.Context, *int) (int, error) { return 0, nil }
	play := func(seed uint64, first int) []string {
		r := newRecorded(seed)
		rt, _ := runtimetest.Start(t, simhost.Option[freerun.Option](r), freerun.Processors(3))
		units := make([]*freerun.Unit[int], 2)
		units[first] = freerun.NewUnit(rt, 0)
		units[1-first] = freerun.NewUnit(rt, 0)
		for _, u := range units {
			// The unit gets its priority mailboxes.
			runtimetest.Must(t, freerun.Do(rt.Context().WithPriority(freerun.High), u, nothing))
		}
		for range 3 {
			freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
				for range 3 {
					freerun.When2(c, units[0], units[1], func(*freerun.Context, *int, *int) (int, error) { return 0, nil })
					freerun.Read(c.WithPriority(freerun.Low), units[0], nothing)
					runtimetest.AddOne.Send(c.WithPriority(freerun.Low), units[0], 1)
					freerun.Do(c.WithPriority(freerun.High), units[1], nothing)
				}
				return 0, nil
			})
		}
		if err := rt.Quiesce(runtimetest.Within(t)); err != nil {
			t.Fatal(err)
		}
		return r.log
	}
	for seed := range uint64(50) {
		if one, other := play(seed, 0), play(seed, 1); !slices.Equal(one, other) {
			t.Fatalf("seed %d: %v, and with addresses the other way round %v", seed, one, other)
		}
	}
}
