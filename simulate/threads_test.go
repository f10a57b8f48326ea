package simulate_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/simulate"
)

// threading has a wake-up that differs by what the thread did before.
const threading = `"transfer_ns": 60, "wake_ns": 7000, "wakeup_ns": 90000, "nap_ns": 70000, "spin_ns": 15000, "switch_ns": 200, "look_ns": 80, "probe_ns": 60, "steal_ns": 180, `

var again = freerun.FreeOp[*bool, struct{}]("again", nil)

var _ = freerun.Define(again, func(c *freerun.Context, stopped *bool) (struct{}, error) {
	if *stopped {
		return struct{}{}, nil
	}
	return struct{}{}, again.Tell(c, stopped)
})

// calls returns a program in which a goroutine calls a unit, while each processor is busy or none
// is. Its time is that of a call.
func calls(busy int) func(on *simulate.Host) (time.Duration, error) {
	return func(on *simulate.Host) (mean time.Duration, err error) {
		const n = 200
		rt := on.New()
		defer rt.Close()
		var stopped bool
		for range busy {
			if err := again.Tell(rt.Context(), &stopped); err != nil {
				return 0, err
			}
		}
		u := freerun.NewUnit(rt, 0)
		on.Go(func() {
			began := rt.Now()
			for range n {
				if _, err = count.Send(rt.Context(), u, 1).Wait(context.Background()); err != nil {
					break
				}
			}
			mean = rt.Now().Sub(began) / n
			stopped = true
		})()
		return mean, errors.Join(err, rt.Quiesce(context.Background()))
	}
}

// TestWakeUpsByThreads holds what a call costs where threads run processors and goroutines: in a
// runtime at rest caller and processor take turns on a thread, and calls wake no thread.
// A busy processor yields to the caller that it has woken, but not each time that it could.
func TestWakeUpsByThreads(t *testing.T) {
	pause := sched.PauseAfterWoken(0)
	for _, of := range []struct {
		busy, processors, threads int
		least, most               time.Duration
	}{
		{0, 1, 1, 200, 4 * time.Microsecond},
		{0, 1, 2, 200, 8 * time.Microsecond},
		{0, 2, 0, 200, 12 * time.Microsecond},
		{1, 1, 1, pause, 2 * pause},
		{1, 1, 2, pause, 2 * pause},
		{2, 2, 2, pause / 2, 2 * pause}, // two processors answer by turns
		{1, 1, 0, pause, 2 * pause},     // as with 2
	} {
		c := costsOf(t, threading)
		c.Threads = of.threads
		what := fmt.Sprintf("%d of %d processors busy, %d threads", of.busy, of.processors, of.threads)
		r := second(t, c, calls(of.busy), of.processors)
		t.Logf("%s: %v", what, r.Elapsed)
		if r.Elapsed < of.least || r.Elapsed > of.most {
			t.Errorf("%s: a call takes %v, want %v to %v", what, r.Elapsed, of.least, of.most)
		}
		if again := second(t, c, calls(of.busy), of.processors); again.Elapsed != r.Elapsed {
			t.Errorf("%s: %v, and then %v", what, r.Elapsed, again.Elapsed)
		}
	}
}

// TestThreadsAreShared holds that goroutines outside that only compute share the threads: on one
// they take as long as one after another, and with one for each as long as one of them.
func TestThreadsAreShared(t *testing.T) {
	const goroutines, pieces = 4, 1000
	program := func(on *simulate.Host) (time.Duration, error) {
		rt := on.New()
		defer rt.Close()
		began := rt.Now()
		var waits [goroutines]func()
		for i := range waits {
			waits[i] = on.Go(func() {
				for range pieces {
					rt.Now()
				}
			})
		}
		for _, wait := range waits {
			wait()
		}
		_, err := freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { return 0, nil }).Wait(context.Background())
		return rt.Now().Sub(began), err
	}
	for threads, share := range map[int]int{1: goroutines, 2: goroutines / 2, 0: 1} {
		c := costsOf(t, threading)
		c.Threads = threads
		least := time.Duration(share*pieces) * piece
		if r := second(t, c, program, 1); r.Elapsed < least || r.Elapsed > least+3*90*time.Microsecond+least/10 {
			t.Errorf("%d threads: %v, want little more than %v", threads, r.Elapsed, least)
		}
	}
}
