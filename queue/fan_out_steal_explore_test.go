//go:build explore

package queue

import (
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/explore"
)

// TestExploreFanOutLimbo is the control of the mark: a steal that leaves none has its numbers in no
// ring for a while, and another consumer is told that the queue is empty.
func TestExploreFanOutLimbo(t *testing.T) {
	f := explore.MustFail(t, 2, func(r *explore.Run) {
		q := NewFanOut[int](4)
		rich := q.Register().lane
		for i := range 4 {
			q.TryEnqueue(i)
		}
		thief, other := q.Register().lane, q.Register()
		r.Go("thief without a mark", func() {
			h, n := rich.dealt.front(&q.lanes)
			t := thief.stolen.tail.Load()
			for i := range n {
				thief.stolen.slot(t + i).Store(rich.dealt.slot(h.at() + i).Load())
			}
			if rich.dealt.head.CompareAndSwap(uint64(h), uint64(newStealHead(h.at()+n, 0, 0))) {
				thief.stolen.tail.Store(t + n)
			}
		})
		r.Go("other consumer", func() {
			if _, ok := other.TryDequeue(); !ok {
				r.Failf("empty, with four items in the queue")
			}
		})
	})
	if !strings.Contains(f.Error(), "empty, with four items") {
		t.Error("what was found is something else")
	}
}

// TestExploreFanOutStaleHelp has a helper sleep while the thief goes on to its next steal. When the
// helper wakes, it must not change anything in the name of the first steal.
func TestExploreFanOutStaleHelp(t *testing.T) {
	explore.Exhaustive(t, 3, func(r *explore.Run) {
		q := NewFanOut[int](16)
		var lanes []*fanOutLane
		for range 3 {
			lanes = append(lanes, q.Register().lane)
		}
		thief := lanes[2]
		lanes[0].dealt.put([]uint32{0, 1, 2, 3})
		lanes[1].dealt.put([]uint32{4, 5, 6, 7, 8, 9, 10, 11})
		var got [2][]uint32
		r.Go("thief", func() {
			buf := make([]uint32, 16)
			for _, victim := range lanes[:2] {
				got[0] = append(got[0], buf[:victim.dealt.stealFor(buf, thief.thief, &q.lanes)]...)
				got[0] = append(got[0], buf[:thief.stolen.take(buf, &q.lanes)]...)
			}
		})
		r.Go("helper", func() {
			buf := make([]uint32, 1)
			got[1] = append(got[1], buf[:lanes[0].dealt.take(buf, &q.lanes)]...)
		})
		r.After(func() {
			buf, all := make([]uint32, 16), slices.Concat(got[:]...)
			for _, l := range lanes {
				all = append(all, buf[:l.dealt.take(buf, &q.lanes)]...)
				all = append(all, buf[:l.stolen.take(buf, &q.lanes)]...)
			}
			slices.Sort(all)
			for i, number := range all {
				if number != uint32(i) || len(all) != 12 {
					r.Failf("of 0 to 11 came %v", all)
				}
			}
		})
	})
}

// TestExploreFanOutEmpty has items move from ring to ring, ahead of a thread that looks whether
// there are any, twice over: there always are.
func TestExploreFanOutEmpty(t *testing.T) {
	explore.Exhaustive(t, 3, func(r *explore.Run) {
		q := NewFanOut[int](8)
		var lanes []*fanOutLane
		for range 3 {
			lanes = append(lanes, q.Register().lane)
		}
		lanes[2].dealt.put([]uint32{0, 1, 2, 3, 4, 5, 6, 7})
		r.Go("movers", func() {
			buf := make([]uint32, 8)
			lanes[2].dealt.stealFor(buf, lanes[1].thief, &q.lanes)
			lanes[2].dealt.take(buf, &q.lanes)
			lanes[1].stolen.stealFor(buf, lanes[0].thief, &q.lanes)
			lanes[1].stolen.take(buf, &q.lanes)
		})
		r.Go("looker", func() {
			if q.empty() {
				r.Failf("empty, with an item on the move")
			}
		})
		r.After(func() {
			if q.empty() || q.Len() != 1 {
				r.Failf("%d items are left, want 1", q.Len())
			}
		})
	})
}

// TestExploreFanOutEmptyNewLane has a consumer register, and move items into its own lane, beside a
// thread that looks whether there are any and does not know that lane: there always are.
func TestExploreFanOutEmptyNewLane(t *testing.T) {
	explore.Exhaustive(t, 3, func(r *explore.Run) {
		q := NewFanOut[int](8)
		rich := q.Register().lane
		rich.dealt.put([]uint32{0, 1, 2, 3, 4, 5, 6, 7})
		r.Go("newcomer", func() {
			buf := make([]uint32, 8)
			own := q.Register().lane
			rich.dealt.stealFor(buf, own.thief, &q.lanes)
			rich.dealt.take(buf, &q.lanes)
		})
		r.Go("looker", func() {
			if q.empty() {
				r.Failf("empty, with items in a lane that is new")
			}
		})
		r.After(func() {
			if q.empty() || q.Len() != 3 {
				r.Failf("%d items are left, want 3", q.Len())
			}
		})
	})
}
