package activity_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun/activity"
)

// TestBroadcastForgetsWhoGaveUp has very many waiters give up, while one stays, for each kind of
// broadcast.
func TestBroadcastForgetsWhoGaveUp(t *testing.T) {
	s := started(t, 1)
	var e activity.Event
	latch, barrier := activity.NewLatch(1), activity.NewBarrier(3)
	var stop activity.Event
	endless := activity.Go(activity.On(s), func(a *activity.Activity) { stop.Wait(a) })
	for name, k := range map[string]struct {
		of   any
		wait func(context.Context) error
		end  func()
	}{
		"Event": {&e, e.Wait, e.Set},
		"Latch": {latch, latch.Wait, latch.CountDown},
		"Barrier": {
			barrier,
			func(ctx context.Context) error { _, err := barrier.Arrive(ctx); return err },
			func() { go barrier.Arrive(context.Background()); barrier.Arrive(context.Background()) },
		},
		"Activity": {endless, endless.Wait, stop.Set},
	} {
		t.Run(name, func(t *testing.T) {
			patient := activity.Go(activity.On(started(t, 1)), func(a *activity.Activity) {
				if err := k.wait(a); err != nil {
					t.Error(err)
				}
			})
			until(t, func() bool { return activity.InBroadcast(k.of) == 1 })
			for range 3000 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Microsecond)
				if err := k.wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
					t.Fatal(err)
				}
				cancel()
			}
			// One of 16 waiters that leave clears the list. So more than 500 are left with
			// probability (15/16)^500, about e^-32.
			if n := activity.InBroadcast(k.of); n > 500 {
				t.Errorf("%d waiters are left in the list", n)
			}
			k.end()
			if err := patient.Wait(within(t)); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestEventWakesWhoCameBefore sets and resets an event at once: all earlier waiters are woken, and
// no later ones.
func TestEventWakesWhoCameBefore(t *testing.T) {
	onProcessors(t, func(t *testing.T, processors int) {
		s := started(t, processors)
		var e activity.Event
		for round := range 50 {
			var all []*activity.Activity
			for range 5 {
				all = append(all, activity.Go(activity.On(s), func(a *activity.Activity) {
					if err := e.Wait(a); err != nil {
						t.Error(err)
					}
				}))
			}
			until(t, func() bool { return activity.InBroadcast(&e) == 5 })
			if e.IsSet() {
				t.Error("set")
			}
			e.Set()
			if round%2 == 0 {
				e.Set()
			}
			if !e.IsSet() || e.Wait(t.Context()) != nil {
				t.Error("not set")
			}
			e.Reset()
			e.Reset()
			for _, a := range all {
				if err := a.Wait(within(t)); err != nil {
					t.Error(err)
				}
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := e.Wait(ctx); err != context.Canceled {
			t.Error(err)
		}
	})
}

// TestLatch has many goroutines count down, and many wait, of which some give up.
func TestLatch(t *testing.T) {
	onProcessors(t, func(t *testing.T, processors int) {
		const n = 12
		l := activity.NewLatch(n)
		written := make([]bool, n)
		crew(t, processors, n, func(ctx context.Context, id int, r *rand.Rand) {
			if r.IntN(2) == 0 {
				hurried, cancel := impatience(ctx, r)
				l.Wait(hurried)
				cancel()
			}
			written[id] = true
			l.CountDown()
			if err := l.Wait(ctx); err != nil {
				t.Error(err)
			}
			for i, w := range written {
				if !w {
					t.Errorf("%d has not come yet", i)
				}
			}
		})
		if l.Left() != 0 {
			t.Errorf("%d left", l.Left())
		}
		if text := panics(l.CountDown); !strings.HasPrefix(text, "activity: CountDown of a Latch that is open") {
			t.Errorf("panicked with %q", text)
		}
		if err := l.Wait(t.Context()); err != nil {
			t.Error(err)
		}
	})
	if err := activity.NewLatch(0).Wait(t.Context()); err != nil {
		t.Error(err)
	}
	if text := panics(func() { activity.NewLatch(-1) }); !strings.HasPrefix(text, "activity: NewLatch(-1)") {
		t.Errorf("panicked with %q", text)
	}
}

// TestBarrier has n goroutines pass a barrier for n, round after round. They arrive again after
// they have given up. No goroutine passes a round before all have begun it, and exactly one of each
// round is told that it is the last.
func TestBarrier(t *testing.T) {
	onProcessors(t, func(t *testing.T, processors int) {
		const n, rounds = 8, 200
		b := activity.NewBarrier(n)
		var at [n]atomic.Int32
		var lasts, gaveUp atomic.Int32
		crew(t, processors, n, func(ctx context.Context, id int, r *rand.Rand) {
			for i := range rounds {
				at[id].Store(int32(i))
				for {
					hurried, cancel := ctx, context.CancelFunc(func() {})
					if r.IntN(4) == 0 {
						hurried, cancel = impatience(ctx, r)
					}
					last, err := b.Arrive(hurried)
					cancel()
					if err == nil {
						if last {
							lasts.Add(1)
						}
						break
					}
					gaveUp.Add(1)
				}
				for other := range at {
					if now := at[other].Load(); now < int32(i) || now > int32(i+1) {
						t.Errorf("%d passes round %d while %d is at %d", id, i, other, now)
					}
				}
			}
		})
		if lasts.Load() != rounds {
			t.Errorf("%d were the last, in %d rounds", lasts.Load(), rounds)
		}
		t.Logf("%d gave up", gaveUp.Load())
	})
	if text := panics(func() { activity.NewBarrier(0) }); !strings.HasPrefix(text, "activity: NewBarrier(0)") {
		t.Errorf("panicked with %q", text)
	}
	if last, err := activity.NewBarrier(1).Arrive(t.Context()); !last || err != nil {
		t.Error("a barrier for one")
	}
}

// TestCondBuffer has a bounded buffer under a lock, with waiters that give up: nothing is lost,
// and each Wait returns with the lock.
func TestCondBuffer(t *testing.T) {
	for _, k := range locks {
		t.Run(k.name, func(t *testing.T) {
			onProcessors(t, func(t *testing.T, processors int) {
				l, inner := k.make()
				room, filled := activity.NewCond(l), activity.NewCond(l)
				const n, count = 8, 200
				items, most, taken := 0, 0, 0
				crew(t, processors, n, func(ctx context.Context, id int, r *rand.Rand) {
					for range count {
						if err := l.Lock(ctx); err != nil {
							t.Error(err)
							return
						}
						c, may := room, func() bool { return items < 3 }
						if id%4 >= 2 {
							c, may = filled, func() bool { return items > 0 }
						}
						for !may() {
							hurried, cancel := ctx, context.CancelFunc(func() {})
							if r.IntN(3) == 0 {
								hurried, cancel = impatience(ctx, r)
							}
							if err := c.Wait(hurried); err != nil && ctx.Err() != nil {
								t.Error("waited for ever")
								cancel()
								l.Unlock()
								return
							}
							cancel()
						}
						if id%4 < 2 {
							items++
							most = max(most, items)
							filled.Signal()
						} else {
							items--
							taken++
							room.Signal()
						}
						l.Unlock()
					}
				})
				if items != 0 || taken != n/2*count || most > 3 || !activity.Unused(inner) {
					t.Errorf("%d left, %d taken, at most %d", items, taken, most)
				}
			})
		})
	}
}

// TestCondInOrder has waiters come one after another. Signal wakes them in that order, Broadcast
// wakes all of them, and neither wakes later ones. The scheduler decides in which order waiters
// that were woken together run.
func TestCondInOrder(t *testing.T) {
	s := started(t, 1)
	var m activity.Mutex
	c := activity.NewCond(&m)
	c.Signal()
	c.Broadcast()
	var order []int
	var all sync.WaitGroup
	for id := range 10 {
		all.Add(1)
		activity.Go(activity.On(s), func(a *activity.Activity) {
			defer all.Done()
			m.Lock(a)
			if err := c.Wait(a); err != nil {
				t.Error(err)
			}
			order = append(order, id)
			m.Unlock()
		})
		until(t, func() bool {
			m.Lock(t.Context())
			defer m.Unlock()
			return activity.Waits(c) == id+1
		})
	}
	for i := range 5 {
		c.Signal()
		until(t, func() bool {
			m.Lock(t.Context())
			defer m.Unlock()
			return len(order) == i+1
		})
	}
	c.Broadcast()
	all.Wait()
	if want := []int{0, 1, 2, 3, 4}; !slices.Equal(order[:5], want) {
		t.Errorf("Signal woke %v, want %v", order[:5], want)
	}
	slices.Sort(order)
	if want := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}; !slices.Equal(order, want) {
		t.Errorf("woken %v, want %v", order, want)
	}
}

func TestCondMisuse(t *testing.T) {
	var rw activity.RWMutex
	for _, l := range []activity.Locker{new(activity.Mutex), new(activity.FairMutex), &rw, rw.RLocker()} {
		if text := panics(func() { activity.NewCond(l).Wait(t.Context()) }); !strings.HasPrefix(text, "activity: Wait of a Cond whose L is not locked") {
			t.Errorf("%T: panicked with %q", l, text)
		}
		l.Lock(t.Context())
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := activity.NewCond(l).Wait(ctx); err != context.Canceled {
			t.Error(err)
		}
		var none context.Context
		if text := panics(func() { activity.NewCond(l).Wait(none) }); !strings.HasPrefix(text, "activity: Wait of a Cond with a nil context") {
			t.Errorf("%T: panicked with %q", l, text)
		}
		l.Unlock()
	}
}
