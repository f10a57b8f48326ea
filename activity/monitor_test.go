package activity_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/sched"
)

func ExampleMonitor() {
	rt := newRuntime() // freerun.New()
	defer rt.Close()
	var m activity.Monitor
	stock := 0
	buyer := activity.Go(rt, func(a *activity.Activity) {
		m.Do(a, func() error {
			if err := m.Await(a, func() bool { return stock >= 3 }); err != nil {
				return err
			}
			stock -= 3
			fmt.Println("bought 3")
			return nil
		})
	})
	for range 4 { // an ordinary goroutine
		m.Do(context.Background(), func() error {
			stock++
			return nil
		})
	}
	buyer.Wait(context.Background())
	fmt.Println("left:", stock)
	// Output:
	// bought 3
	// left: 1
}

// TestMonitorBuffer has a bounded buffer in a monitor: nothing is lost, and an awaiter that gives
// up has taken nothing and is inside.
func TestMonitorBuffer(t *testing.T) {
	onProcessors(t, func(t *testing.T, processors int) {
		var m activity.Monitor
		var inside atomic.Int32
		items, added, taken := 0, 0, 0
		crew(t, processors, 12, func(ctx context.Context, id int, r *rand.Rand) {
			for range 250 {
				err := m.Do(ctx, func() error {
					defer inside.Add(-1)
					if inside.Add(1) != 1 {
						t.Error("two are inside")
					}
					hurried, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
					if r.IntN(3) == 0 {
						cancel()
						hurried, cancel = impatience(ctx, r)
					}
					defer cancel()
					await := func(condition func() bool) error {
						inside.Add(-1)
						defer func() {
							if inside.Add(1) != 1 {
								t.Error("two are inside after Await")
							}
						}()
						return m.Await(hurried, condition)
					}
					if id%4 < 2 {
						if err := await(func() bool { return items < 3 }); err != nil {
							return nil
						}
						items++
						added++
					} else {
						if err := await(func() bool { return items > 0 }); err != nil {
							return nil
						}
						items--
						taken++
					}
					if items < 0 || items > 3 {
						t.Errorf("%d items", items)
					}
					return nil
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
		if added-taken != items || taken == 0 || !m.TryEnter() {
			t.Errorf("added %d, taken %d, left %d", added, taken, items)
		}
	})
}

// TestMonitorInOrder has goroutines await conditions, and others that want to enter: awaiters go
// first, in order, if their conditions hold.
func TestMonitorInOrder(t *testing.T) {
	s := started(t, 1)
	var m activity.Monitor
	level := 0
	var order []string
	var all []*activity.Activity
	for i, need := range []int{2, 1, 2, 9} {
		all = append(all, activity.Go(activity.On(s), func(a *activity.Activity) {
			ctx, cancel := context.WithCancel(a)
			defer cancel()
			m.Do(ctx, func() error {
				err := m.Await(ctx, func() bool { return level >= need })
				if err == nil {
					order = append(order, fmt.Sprint("awaits ", i, " for ", need))
				}
				return err
			})
		}))
		until(t, func() bool { return m.Awaiting() == i+1 })
	}
	m.Enter(within(t))
	for i := range 2 {
		all = append(all, activity.Go(activity.On(s), func(a *activity.Activity) {
			m.Do(a, func() error {
				order = append(order, fmt.Sprint("enters ", i))
				if i == 1 {
					level = 9
				}
				return nil
			})
		}))
		until(t, func() bool { return activity.Waits(m.Entrance()) == i+1 })
	}
	level = 2
	m.Leave()
	for _, a := range all {
		if err := a.Wait(within(t)); err != nil {
			t.Error(err)
		}
	}
	want := []string{"awaits 0 for 2", "awaits 1 for 1", "awaits 2 for 2", "enters 0", "enters 1", "awaits 3 for 9"}
	if !slices.Equal(order, want) {
		t.Errorf("order %q, want %q", order, want)
	}
}

// TestMonitorForgetsWhoGaveUp has very many awaiters give up, while one stays.
func TestMonitorForgetsWhoGaveUp(t *testing.T) {
	var m activity.Monitor
	ready := false
	patient := make(chan error)
	go func() {
		patient <- m.Do(within(t), func() error { return m.Await(within(t), func() bool { return ready }) })
	}()
	until(t, func() bool { return m.Awaiting() == 1 })
	for range 1000 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Microsecond)
		m.Enter(t.Context())
		if err := m.Await(ctx, func() bool { return false }); err != context.DeadlineExceeded {
			t.Error(err)
		}
		m.Leave()
		cancel()
		if n := m.Awaiting(); n > 1 {
			t.Fatalf("%d await", n)
		}
	}
	m.Do(t.Context(), func() error {
		ready = true
		return nil
	})
	if err := <-patient; err != nil {
		t.Error(err)
	}
}

// TestMonitorConditionPanics has a condition panic when another goroutine leaves. That goroutine
// does not notice; the awaiter ends with the panic.
func TestMonitorConditionPanics(t *testing.T) {
	s := started(t, 1)
	var m activity.Monitor
	bad := false
	failure := errors.New("test")
	a := activity.Go(activity.On(s), func(a *activity.Activity) {
		m.Do(a, func() error {
			return m.Await(a, func() bool {
				if bad {
					panic(failure)
				}
				return false
			})
		})
	})
	until(t, func() bool { return m.Awaiting() == 1 })
	if err := m.Do(t.Context(), func() error { bad = true; return nil }); err != nil {
		t.Error(err)
	}
	if err := a.Wait(within(t)); !errors.Is(err, failure) {
		t.Error(err)
	}
	if !m.TryEnter() {
		t.Error("a goroutine is inside")
	}
}

func TestMonitorMisuse(t *testing.T) {
	var m activity.Monitor
	expect := func(want string, f func()) {
		t.Helper()
		if got := panics(f); !strings.HasPrefix(got, want) {
			t.Errorf("panicked with %q, want %q", got, want)
		}
	}
	const leave, await = "activity: Leave of a Monitor by a goroutine that is not inside", "activity: Await of a Monitor by a goroutine that is not inside"
	expect(leave, m.Leave)
	expect(await, func() { m.Await(t.Context(), func() bool { return true }) })
	m.Enter(t.Context())
	expect("activity: Await of a Monitor with a nil", func() { m.Await(t.Context(), nil) })
	done := make(chan bool)
	go func() {
		defer close(done)
		expect(leave, m.Leave)
		expect(await, func() { m.Await(t.Context(), func() bool { return true }) })
	}()
	<-done
	if m.TryEnter() {
		t.Error("entered twice")
	}
	m.Leave()
	if !m.TryEnter() {
		t.Error("not as it was")
	}
}

// TestMonitorAtTheEnd gives up a scheduler while activities await inside Do: they end, and the
// monitor is free.
func TestMonitorAtTheEnd(t *testing.T) {
	s := sched.New(sched.Config{Processors: 2})
	s.Start()
	var m activity.Monitor
	var all []*activity.Activity
	var inside, ended atomic.Int32
	for i := range 10 {
		all = append(all, activity.Go(activity.On(s), func(a *activity.Activity) {
			m.Do(a, func() error {
				defer func() { // inside, although the activity is being ended
					if inside.Add(1) != 1 {
						t.Error("two are inside")
					}
					ended.Add(1)
					inside.Add(-1)
				}()
				return m.Await(a, func() bool { return false })
			})
		}))
		until(t, func() bool { return m.Awaiting() == i+1 })
	}
	m.Enter(t.Context())
	s.Stop(time.After(time.Minute))
	activity.InterruptAll(s)
	if n := ended.Load(); n != 0 {
		t.Errorf("%d activities have run what they deferred while the test was inside", n)
	}
	m.Leave()
	for _, a := range all {
		if err := a.Wait(within(t)); !errors.Is(err, activity.ErrClosed) {
			t.Error(err)
		}
	}
	if n := ended.Load(); n != int32(len(all)) {
		t.Errorf("%d activities have run what they deferred", n)
	}
	if !m.TryEnter() {
		t.Error("the monitor was not left")
	}
	m.Leave()
}

// TestMonitorTryEnterInVain has a goroutine find the monitor occupied: the one inside stays the one
// that may leave.
func TestMonitorTryEnterInVain(t *testing.T) {
	var m activity.Monitor
	if !m.TryEnter() {
		t.Fatal("a new monitor is occupied")
	}
	done := make(chan bool)
	go func() { done <- m.TryEnter() }()
	if <-done {
		t.Fatal("two goroutines are inside")
	}
	m.Leave() // panics if the caller is not known to be inside
}
