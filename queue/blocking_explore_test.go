//go:build explore

package queue

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/internal/verify/memory"
)

// place is the smallest queue without waiting: one item, not 0, at one step a call.
type place struct{ item atomics.Uint64 }

func (p *place) TryEnqueue(v uint64) bool { return p.item.CompareAndSwap(0, v) }

func (p *place) TryDequeue() (uint64, bool) {
	v := p.item.Load()
	if v == 0 {
		return 0, false // one step while nothing is there
	}
	return v, p.item.CompareAndSwap(v, 0)
}

// newPlace returns the waiting form of a place. Only one goroutine may dequeue, because a lost race
// reads as empty.
func newPlace() *Blocking[uint64] { return NewBlocking[uint64](&place{}) }

// pair is a queue without waiting for two items and any number of goroutines: two small numbers in
// one word, the older one in the lower half.
type pair struct{ items atomics.Uint64 }

func (p *pair) TryEnqueue(v uint64) bool {
	for {
		switch now := p.items.Load(); {
		case now >= 1<<8:
			return false
		case now == 0 && p.items.CompareAndSwap(0, v), now != 0 && p.items.CompareAndSwap(now, now|v<<8):
			return true
		}
	}
}

func (p *pair) TryDequeue() (uint64, bool) {
	for {
		now := p.items.Load()
		if now == 0 {
			return 0, false
		}
		if p.items.CompareAndSwap(now, now>>8) {
			return now & 0xff, true
		}
	}
}

// expect fails the execution if a call gave an error.
func expect(r *explore.Run, err error) {
	if err != nil {
		r.Failf("an error: %v", err)
	}
}

// TestExploreWaitingHandsOver has a producer and a consumer pass more items than there is room for:
// both wait in turns.
func TestExploreWaitingHandsOver(t *testing.T) {
	explore.Exhaustive(t, 2, func(r *explore.Run) {
		w, ctx := newPlace(), context.Background()
		r.Go("producer", func() {
			expect(r, w.Enqueue(ctx, 1))
			expect(r, w.Enqueue(ctx, 2))
		})
		r.Go("consumer", func() {
			for want := uint64(1); want <= 2; want++ {
				if v, err := w.Dequeue(ctx); v != want || err != nil {
					r.Failf("dequeued %d, %v, want %d", v, err, want)
				}
			}
		})
	})
}

// TestExploreWaitingSeveral has two threads wait for items, or for room, while a third brings what
// they need: one wake-up for each.
func TestExploreWaitingSeveral(t *testing.T) {
	t.Run("for items", func(t *testing.T) {
		explore.Exhaustive(t, 2, func(r *explore.Run) {
			w, ctx := NewBlocking[uint64](&pair{}), context.Background()
			for _, name := range []string{"one", "other"} {
				r.Go(name, func() {
					_, err := w.Dequeue(ctx)
					expect(r, err)
				})
			}
			r.Go("producer", func() {
				expect(r, w.Enqueue(ctx, 1))
				expect(r, w.Enqueue(ctx, 2))
			})
		})
	})
	t.Run("for room", func(t *testing.T) {
		explore.Exhaustive(t, 1, func(r *explore.Run) {
			w, ctx := newPlace(), context.Background()
			w.TryEnqueue(9)
			for v := range uint64(2) {
				r.Go("producer", func() { expect(r, w.Enqueue(ctx, v+1)) })
			}
			r.Go("consumer", func() {
				for range 3 {
					_, err := w.Dequeue(ctx)
					expect(r, err)
				}
			})
		})
	})
}

// TestExploreWaitingCloses closes a queue beside an Enqueue and a consumer that takes until
// ErrClosed: it gets the items that were accepted, and no other.
func TestExploreWaitingCloses(t *testing.T) {
	closes := func(before bool) func(*explore.Run) {
		return func(r *explore.Run) {
			w, ctx := newPlace(), context.Background()
			var accepted, got []uint64
			if before {
				w.TryEnqueue(9)
				accepted = append(accepted, 9)
			}
			r.Go("producer", func() {
				switch err := w.Enqueue(ctx, 1); {
				case err == nil:
					accepted = append(accepted, 1)
				case !errors.Is(err, ErrClosed):
					r.Failf("Enqueue: %v", err)
				}
			})
			r.Go("closer", func() {
				if w.Close(); !w.Closed() {
					r.Failf("Closed is false after Close")
				}
			})
			r.Go("consumer", func() { got = slices.AppendSeq(got, All(ctx, w)) })
			r.After(func() {
				if !slices.Equal(got, accepted) {
					r.Failf("accepted %v, delivered %v", accepted, got)
				}
				if _, err := w.Dequeue(ctx); !errors.Is(err, ErrClosed) {
					r.Failf("after all: %v", err)
				}
			})
		}
	}
	t.Run("empty", func(t *testing.T) { explore.Exhaustive(t, 2, closes(false)) })
	t.Run("full", func(t *testing.T) { explore.Exhaustive(t, 2, closes(true)) })
}

// TestExploreWaitingCancel ends the context of one of two waiters, while the item or the room that
// they wait for comes. Neither is forgotten: the waiter that gave up has taken nothing, and has
// handed on the signal that came too late.
func TestExploreWaitingCancel(t *testing.T) {
	forItems := func(r *explore.Run) {
		w, ctx := NewBlocking[uint64](&pair{}), &memory.Context{}
		r.Go("impatient", func() {
			if v, err := w.Dequeue(ctx); err == nil {
				expect(r, w.Enqueue(context.Background(), v))
			} else if !errors.Is(err, context.Canceled) {
				r.Failf("Dequeue: %v", err)
			}
		})
		r.Go("patient", func() {
			_, err := w.Dequeue(context.Background())
			expect(r, err)
		})
		r.Go("producer", func() { expect(r, w.Enqueue(context.Background(), 1)) })
		r.Go("canceller", ctx.Cancel)
	}
	forRoom := func(r *explore.Run) {
		w, ctx := newPlace(), &memory.Context{}
		w.TryEnqueue(9)
		impatient := false
		r.Go("impatient", func() { impatient = w.Enqueue(ctx, 1) == nil })
		r.Go("patient", func() { expect(r, w.Enqueue(context.Background(), 2)) })
		r.Go("consumer", func() {
			for range 2 {
				_, err := w.Dequeue(context.Background())
				expect(r, err)
			}
		})
		r.Go("canceller", ctx.Cancel)
		r.After(func() {
			if _, more := w.TryDequeue(); more != impatient {
				r.Failf("one more item in the queue: %v; accepted: %v", more, impatient)
			}
		})
	}
	for name, body := range map[string]func(r *explore.Run){"for items": forItems, "for room": forRoom} {
		t.Run(name, func(t *testing.T) {
			explore.Exhaustive(t, 1, body)
			explore.Random(t, 20_000, body)
		})
	}
}

// TestExploreWaitingRandom has producers, consumers, a context that ends and a Close in one
// program.
func TestExploreWaitingRandom(t *testing.T) {
	explore.Random(t, 20_000, func(r *explore.Run) {
		w, ctx := NewBlocking[uint64](&pair{}), &memory.Context{}
		accepted, got := make([][]uint64, 2), make([][]uint64, 2)
		for p := range uint64(2) {
			r.Go("producer", func() {
				for v := 10 * p; v < 10*p+3; v++ {
					if w.Enqueue(ctx, v+1) == nil {
						accepted[p] = append(accepted[p], v+1)
					}
				}
				if p == 0 {
					ctx.Cancel()
				} else {
					w.Close()
				}
			})
		}
		for c := range 2 {
			r.Go("consumer", func() {
				for {
					v, err := w.Dequeue(context.Background())
					if err != nil {
						return
					}
					got[c] = append(got[c], v)
				}
			})
		}
		r.After(func() {
			want, all := slices.Concat(accepted...), slices.Concat(got...)
			slices.Sort(want)
			slices.Sort(all)
			if !slices.Equal(want, all) {
				r.Failf("accepted %v, delivered %v", want, all)
			}
		})
	})
}

// TestExploreWaitingFrozen stops goroutines for good while one waits for an item: the others, which
// need not wait, end.
func TestExploreWaitingFrozen(t *testing.T) {
	explore.Freeze(t, func(r *explore.Run) {
		w, ctx := NewBlocking[uint64](&pair{}), context.Background()
		for range 2 {
			w.notEmpty.join(w.notEmpty.newWaiter())
			w.notFull.join(w.notFull.newWaiter())
		}
		r.Go("one", func() { _ = w.Enqueue(ctx, 1) })
		r.Go("other", func() { _ = w.Enqueue(ctx, 2) })
		r.Go("third", func() { w.TryDequeue() })
		r.Go("closer", w.Close)
	})
}

// TestExploreWaitersQuit has waiters join, cancel and be signaled, with the lists swept each time:
// a signal goes to one that waits.
func TestExploreWaitersQuit(t *testing.T) {
	explore.Exhaustive(t, 3, func(r *explore.Run) {
		var q waitQueue
		var n [3]*waiter
		for i := range n {
			n[i] = q.newWaiter()
			q.join(n[i])
		}
		q.cancelled.Add(2 * sweepAbove) // so that all sweep
		called := func(i int) bool { return n[i].parker.TryConsume() }
		var quit [2]bool
		r.Go("first", func() { quit[0] = q.cancel(n[0]) })
		r.Go("second", func() { quit[1] = q.cancel(n[1]) })
		r.Go("caller", q.signal)
		r.After(func() {
			for i, q := range quit {
				if q == called(i) {
					r.Failf("waiter %d: quit says %v, as if it was not called", i, q)
				}
			}
			if third := quit[0] && quit[1]; third != called(2) {
				r.Failf("the third was called: %v, the others quit: %v", !third, quit)
			}
		})
	})
}

// gradual is a queue without waiting for two items. It reports full while a dequeuer, in the middle
// of its call, blocks the place whose turn it is, even if the other one is free: so one call that
// ends may make room for two.
type gradual struct {
	head, tail atomics.Uint64
	turn       [2]atomics.Uint64 // of each place: 2·round while free, one more while full
}

func (g *gradual) TryEnqueue(uint64) bool {
	for {
		t := g.tail.Load()
		if g.turn[t%2].Load() != t/2*2 && g.tail.Load() == t {
			return false
		}
		if g.tail.CompareAndSwap(t, t+1) {
			g.turn[t%2].Store(t/2*2 + 1)
			return true
		}
	}
}

func (g *gradual) TryDequeue() (uint64, bool) {
	for {
		h := g.head.Load()
		if g.turn[h%2].Load() != h/2*2+1 && g.head.Load() == h {
			return 0, false
		}
		if g.head.CompareAndSwap(h, h+1) {
			g.turn[h%2].Store(h/2*2 + 2)
			return h, true
		}
	}
}

// TestExploreWaitingRelays has two threads wait for room behind two that make room, where a place
// is blocked for a while by the one before: both get in, though one of the signals comes in vain.
func TestExploreWaitingRelays(t *testing.T) {
	body := func(r *explore.Run) {
		g, ctx := &gradual{}, context.Background()
		w := NewBlocking[uint64](g)
		w.TryEnqueue(1)
		w.TryEnqueue(2)
		for range 2 {
			r.Go("producer", func() { expect(r, w.Enqueue(ctx, 3)) })
		}
		r.Go("consumer", func() { w.TryDequeue() })
		r.Go("other consumer", func() { w.TryDequeue() })
	}
	explore.Random(t, 20_000, body)
}

// TestExploreWaitingLostWakeUp is the control: a Dequeue that looks before it joins, and not again
// afterwards, sleeps beside its item.
func TestExploreWaitingLostWakeUp(t *testing.T) {
	f := explore.MustFail(t, 1, func(r *explore.Run) {
		w, ctx := newPlace(), context.Background()
		r.Go("producer", func() { expect(r, w.Enqueue(ctx, 1)) })
		r.Go("hasty consumer", func() {
			if _, ok := w.TryDequeue(); ok {
				return
			}
			n := w.notEmpty.newWaiter()
			w.notEmpty.join(n)
			expect(r, n.parker.ParkContext(ctx))
			if _, ok := w.TryDequeue(); !ok {
				r.Failf("called for nothing")
			}
		})
	})
	if !strings.Contains(f.Error(), "deadlock: hasty consumer waits") {
		t.Error("what was found is something else")
	}
}

// TestExploreWaitingCloseUncounted is the control of the close: the item of an Enqueue that is not
// counted as in flight is left behind.
func TestExploreWaitingCloseUncounted(t *testing.T) {
	f := explore.MustFail(t, 2, func(r *explore.Run) {
		w, ctx := newPlace(), context.Background()
		accepted, got := 0, 0
		r.Go("uncounted producer", func() {
			if w.Closed() || !w.q.TryEnqueue(1) {
				return
			}
			accepted++
			if w.notEmpty.anyWaiting() {
				w.notEmpty.signal()
			}
		})
		r.Go("closer", w.Close)
		r.Go("consumer", func() {
			for range All(ctx, w) {
				got++
			}
		})
		r.After(func() {
			if accepted != got {
				r.Failf("accepted %d, delivered %d", accepted, got)
			}
		})
	})
	if !strings.Contains(f.Error(), "accepted 1, delivered 0") {
		t.Error("what was found is something else")
	}
}
