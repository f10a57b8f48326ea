package simulate

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
)

// TestStandstillIsTold has programs wait in ways in which nothing goes on, and holds that the run
// is an ErrStalled that says where; release lets the goroutines that were given up end.
func TestStandstillIsTold(t *testing.T) {
	defer func(d time.Duration) { lookEvery = d }(lookEvery)
	lookEvery = 5 * time.Millisecond
	type run func(on *Host, rt *freerun.Runtime, u *freerun.Unit[int])
	for name, of := range map[string]struct {
		says  string
		ready func() (program run, release func())
	}{
		"a lock across a send": {"sync.Mutex.Lock at ", func() (run, func()) {
			var lock sync.Mutex
			return func(on *Host, rt *freerun.Runtime, u *freerun.Unit[int]) {
				locked := func() {
					lock.Lock()
					for range 20 {
						_ = count.Tell(rt.Context(), u, 1)
					}
					lock.TryLock() // release has unlocked it
					lock.Unlock()
				}
				one, two := on.Go(locked), on.Go(locked)
				one()
				two()
			}, func() { lock.TryLock(); lock.Unlock() }
		}},
		"a channel": {"chan receive at ", func() (run, func()) {
			c := make(chan int, 2)
			return func(on *Host, rt *freerun.Runtime, u *freerun.Unit[int]) {
				wait := on.Go(func() { rt.Now(); c <- 1 })
				<-c
				wait()
			}, func() { c <- 1 }
		}},
		"a wait group": {"sync.WaitGroup.Wait at ", func() (run, func()) {
			var group sync.WaitGroup
			group.Add(1)
			done := sync.OnceFunc(group.Done)
			return func(on *Host, rt *freerun.Runtime, u *freerun.Unit[int]) {
				wait := on.Go(func() { defer done(); _ = count.Tell(rt.Context(), u, 1) })
				group.Wait()
				wait()
			}, done
		}},
		"an operation": {"chan send at ", func() (run, func()) {
			c := make(chan int)
			return func(on *Host, rt *freerun.Runtime, u *freerun.Unit[int]) {
				_, _ = freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { c <- 1; return 0, nil }).Wait(context.Background())
			}, func() { <-c }
		}},
	} {
		program, release := of.ready()
		over := make(chan struct{})
		c := &Costs{Model: 2, Pieces: []Piece{{From: "passing", To: "passing", Cost: 100}}}
		_, err := c.Run(func(on *Host) (time.Duration, error) {
			defer close(over)
			rt := on.New()
			defer rt.Close()
			program(on, rt, freerun.NewUnit(rt, 0))
			return 0, nil
		}, 2)
		if !errors.Is(err, ErrStalled) || !strings.Contains(err.Error(), of.says) || !strings.Contains(err.Error(), "standstill_test.go:") {
			t.Errorf("%s: %v", name, err)
		}
		release()
		<-over
	}
}
