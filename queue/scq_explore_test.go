//go:build explore

package queue

import (
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// TestExploreStrictCapacityOne has two producers and two consumers at the only place: nothing is
// lost, doubled or left over, and every call ends.
func TestExploreStrictCapacityOne(t *testing.T) {
	explore.Exhaustive(t, 3, func(r *explore.Run) {
		q := NewStrictMPMC[int](1)
		var put, got [2]int
		for i := range 2 {
			r.Go("producer", func() {
				if q.TryEnqueue(i + 1) {
					put[i] = i + 1
				}
			})
			r.Go("consumer", func() {
				if v, ok := q.TryDequeue(); ok {
					got[i] = v
				}
			})
		}
		r.After(func() {
			left := 0
			for v, ok := q.TryDequeue(); ok; v, ok = q.TryDequeue() {
				left += v
			}
			if in, out := put[0]+put[1], got[0]+got[1]+left; in != out {
				r.Failf("put %v, got %v, and %d was left", put, got, left)
			}
			if in := put[0] + put[1]; in == 0 {
				r.Failf("both producers were refused")
			}
			if !q.TryEnqueue(9) || q.TryEnqueue(9) {
				r.Failf("the queue for one item has lost its place, or has another")
			}
		})
	})
}

// TestExploreStrictRefills has a place pass from a consumer to a producer that was refused before.
func TestExploreStrictRefills(t *testing.T) {
	explore.Exhaustive(t, 3, func(r *explore.Run) {
		q := NewStrictMPMC[int](1)
		q.TryEnqueue(1)
		var returned atomics.Bool
		r.Go("consumer", func() {
			if v, ok := q.TryDequeue(); !ok || v != 1 {
				r.Failf("got %d, %v; want 1", v, ok)
			}
			returned.Store(true)
		})
		r.Go("producer", func() {
			certain := returned.Load()
			if full := !q.TryEnqueue(2); full && certain {
				r.Failf("full when it was empty")
			}
		})
	})
}

// TestExploreScqRing has the ring alone, from which dequeuers take by more positions than there are
// indices.
func TestExploreScqRing(t *testing.T) {
	explore.Exhaustive(t, 3, func(r *explore.Run) {
		ring := newScqRing(2, 1<<63-4)
		var got [3]uint64
		for i := range 2 {
			r.Go("dequeuer", func() {
				if v, ok := ring.dequeue(); ok {
					got[i] = v + 1
				}
			})
		}
		r.Go("enqueuer", func() {
			ring.enqueue(0)
			ring.enqueue(1)
			if v, ok := ring.dequeue(); ok {
				got[2] = v + 1
			}
		})
		r.After(func() {
			sum := got[0] + got[1] + got[2]
			for v, ok := ring.dequeue(); ok; v, ok = ring.dequeue() {
				sum += v + 1
			}
			if sum != 3 {
				r.Failf("the indices 0 and 1 were enqueued; got, each plus one, %v and in all %d", got, sum)
			}
		})
	})
}

// TestExploreScqHeld begins with a dequeuer that was given a position a lap ago. While it takes its
// index, another dequeuer is given the position that has the same slot now, and so is an enqueuer,
// whose index must not get lost there.
func TestExploreScqHeld(t *testing.T) {
	explore.Exhaustive(t, 3, func(r *explore.Run) {
		ring := newScqRing(4, 1<<64-8)
		ring.enqueue(0)
		late := ring.head.Add(1) - 1
		for range 7 {
			ring.enqueue(1)
			ring.dequeue()
		}
		var seen [3]atomics.Plain[bool]
		took := func(i uint64, ok bool) {
			if ok {
				if seen[i].Take() {
					r.Failf("%d came out twice", i)
				}
				seen[i].Set(true)
			}
		}
		r.Go("late dequeuer", func() { took(ring.take(late)) })
		r.Go("dequeuer", func() {
			ring.enqueue(2)
			took(ring.dequeue())
		})
		r.Go("enqueuer", func() { ring.enqueue(1) })
		r.After(func() {
			for i, ok := ring.dequeue(); ok; i, ok = ring.dequeue() {
				took(i, ok)
			}
			for i := range seen {
				if !seen[i].Get() {
					r.Failf("%d did not come out", i)
				}
			}
		})
	})
}

// TestExploreScqEmptyIsTrue has dequeuers come before and after an index, and meanwhile make
// positions void and overtake each other. If a dequeuer comes when the index is certainly there,
// and finds nothing, another must have taken it.
func TestExploreScqEmptyIsTrue(t *testing.T) {
	explore.Exhaustive(t, 3, func(r *explore.Run) {
		ring := newScqRing(2, 0)
		var there atomics.Bool
		r.Go("enqueuer", func() {
			ring.enqueue(1)
			there.Store(true)
		})
		taken, missed := 0, 0
		for range 2 {
			r.Go("dequeuer", func() {
				if _, ok := ring.dequeue(); ok {
					taken++
					return
				}
				certain := there.Load()
				if _, ok := ring.dequeue(); ok {
					taken++
				} else if certain {
					missed++
				}
			})
		}
		r.After(func() {
			if taken > 1 || taken == 0 && missed > 0 {
				r.Failf("an index was enqueued; %d came out, and %d dequeuers found nothing although it was there", taken, missed)
			}
			if h, t := ring.head.Load(), ring.tail.Load(); int64(t-h) < 0 {
				r.Failf("head is at %d, and tail has stayed at %d", h, t)
			}
			if _, ok := ring.dequeue(); ok != (taken == 0) {
				r.Failf("%d indices came out, and one is left: %v", taken, ok)
			}
		})
	})
}

// TestExploreScqPastAnother has two enqueuers, of which one may have a position before the other's
// and not have put its index there yet: a dequeuer that comes when the other has returned must get
// past it.
func TestExploreScqPastAnother(t *testing.T) {
	explore.Exhaustive(t, 3, func(r *explore.Run) {
		ring := newScqRing(2, 0)
		var there atomics.Bool
		r.Go("enqueuer", func() { ring.enqueue(0) })
		r.Go("the other", func() {
			ring.enqueue(1)
			there.Store(true)
		})
		r.Go("dequeuer", func() {
			certain := there.Load()
			if _, ok := ring.dequeue(); certain && !ok {
				r.Failf("nothing, although an index was there")
			}
		})
	})
}

// TestExploreScqNeverEmpty has one thread enqueue before it dequeues, each time, at a ring with an
// index in it. So there is always one for another thread, until that has taken it.
func TestExploreScqNeverEmpty(t *testing.T) {
	explore.Exhaustive(t, 4, func(r *explore.Run) {
		ring := newScqRing(4, 1<<64-8)
		ring.enqueue(0)
		r.Go("turner", func() {
			for i := range uint64(2) {
				ring.enqueue(i + 1)
				if _, ok := ring.dequeue(); !ok {
					r.Failf("turn %d: nothing, although it has enqueued an index", i)
				}
			}
		})
		r.Go("taker", func() {
			if _, ok := ring.dequeue(); !ok {
				r.Failf("nothing, although there was an index all the time")
			}
		})
	})
}

// TestExploreScqBounds has three calls move limit, and barred, to where they need it: no call sets
// them back.
func TestExploreScqBounds(t *testing.T) {
	explore.Exhaustive(t, explore.Unbounded, func(r *explore.Run) {
		ring := newScqRing(1, 1<<64-2)
		start := ring.head.Load()
		for i := range uint64(3) {
			r.Go("call", func() {
				ring.cover(start + i)
				ring.bar(start + i)
				if l, b := ring.limit.Load(), ring.barred.Load(); int64(l-start-i) <= 0 || int64(b-start-i) <= 0 {
					r.Failf("after position %d limit is at %d, and barred at %d", i, l-start, b-start)
				}
			})
		}
		r.After(func() {
			if l, b := ring.limit.Load(), ring.barred.Load(); l != start+3 || b != start+3 {
				r.Failf("limit is at %d and barred at %d, want 3", l-start, b-start)
			}
		})
	})
}

func TestExploreStrictFreeze(t *testing.T) {
	explore.Freeze(t, func(r *explore.Run) {
		q := NewStrictMPMC[int](2)
		for range 2 {
			r.Go("producer and consumer", func() {
				q.TryEnqueue(1)
				q.TryDequeue()
				q.TryEnqueue(2)
			})
		}
		r.Go("consumer", func() {
			q.TryDequeue()
			q.TryDequeue()
		})
	})
}

// countdownRing tells that it is empty as the paper does: by a counter of how many dequeuers may
// fail until an enqueuer sets it again.
type countdownRing struct {
	scqRing
	threshold atomics.Int64
}

func (r *countdownRing) set() {
	if most := int64(3*len(r.slots)/2 - 1); r.threshold.Load() != most {
		r.threshold.Store(most)
	}
}

func (r *countdownRing) enqueue(index uint64) {
	r.scqRing.enqueue(index)
	r.set()
}

func (r *countdownRing) dequeue() (index uint64, ok bool) {
	if r.threshold.Load() < 0 {
		return 0, false
	}
	for {
		p := r.head.Add(1) - 1
		if index, ok = r.take(p); ok {
			return index, true
		}
		if t := r.tail.Load(); int64(t-p) <= 1 {
			r.catchUp(t, p+1)
			r.threshold.Add(-1)
			return 0, false
		}
		if r.threshold.Add(-1) < 0 {
			return 0, false
		}
	}
}

// lateDequeuers is three dequeuers at a ring that has become empty, and an enqueuer: afterwards a
// dequeuer has the index, or it is there. The ring has room for one index, so three are more than
// the paper's count allows for.
func lateDequeuers(enqueue func(uint64), dequeue func() (uint64, bool)) func(r *explore.Run) {
	return func(r *explore.Run) {
		enqueue(0)
		dequeue()
		taken := 0
		for range 3 {
			r.Go("dequeuer", func() {
				if _, ok := dequeue(); ok {
					taken++
				}
			})
		}
		r.Go("enqueuer", func() { enqueue(0) })
		r.After(func() {
			if _, ok := dequeue(); ok {
				taken++
			}
			if taken != 1 {
				r.Failf("an index was enqueued; %d came out, and now the ring is called empty", taken)
			}
		})
	}
}

// TestExploreCountdown shows why limit is there: with the paper's counter an index that is in the
// ring is not found any more.
func TestExploreCountdown(t *testing.T) {
	explore.MustFail(t, 3, func(r *explore.Run) {
		ring := &countdownRing{}
		ring.init(1, 0, 0)
		ring.threshold.Store(-1)
		lateDequeuers(ring.enqueue, ring.dequeue)(r)
	})
}

// TestExploreLimit is the same with limit.
func TestExploreLimit(t *testing.T) {
	explore.Exhaustive(t, 3, func(r *explore.Run) {
		ring := newScqRing(1, 0)
		lateDequeuers(ring.enqueue, ring.dequeue)(r)
	})
}
