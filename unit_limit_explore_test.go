//go:build explore

package freerun

import (
	"fmt"
	"testing"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// limited returns two units of one runtime, with limits of first and second messages.
func limited(first, second int64) (x, y *unit) {
	rt := &Runtime{scheduler: sched.New(sched.Config{Processors: 1})}
	rt.free.rt = rt
	units := [2]*unit{}
	for i, most := range [2]int64{first, second} {
		u := &unit{rt: rt}
		u.Kind = unitVtable
		u.extend().limit = &mailboxLimit{most: most, full: WaitForRoom, room: make(chan struct{}, 1)}
		units[i] = u
	}
	return units[0], units[1]
}

// drainPlaces takes n messages out of the mailbox, if they are there, as its owner does.
func (b *mailboxLimit) drainPlaces(n int) {
	for range n {
		if b.filling().count() > 0 {
			b.takeOut()
		}
	}
}

// holding has the unit x send to y, whose mailbox is full, and be muted, while y's owner takes
// messages out. If flooded, x's own mailbox gets over its limit meanwhile. In the end, with y's
// mailbox empty, x must not be muted any more.
func holding(flooded bool, holdBack func(x, y *unit)) func(*explore.Run) {
	return func(r *explore.Run) {
		x, y := limited(1, 2)
		b := y.ext.Load().limit
		b.fill.Store(int64(2 * oneMore))
		r.Go("sender", func() {
			b.exceed()
			holdBack(x, y)
		})
		r.Go("owner", func() { b.drainPlaces(3) })
		if flooded {
			r.Go("flood", func() {
				own := x.ext.Load().limit
				own.exceed()
				own.exceed()
			})
		}
		r.After(func() {
			b.drainPlaces(3)
			if f := b.filling(); f != 0 {
				r.Failf("%d left, over: %v", f.count(), f.over())
			}
			if x.ext.Load().held.Load() != nil {
				r.Failf("held for ever")
			}
		})
	}
}

func heldBack(x, y *unit) { x.muteForPressed(&worker{rt: x.rt, pressed: []*unit{y}}) }

func TestExploreMailboxLimitMute(t *testing.T) {
	explore.Exhaustive(t, explore.Unbounded, holding(false, heldBack))
	explore.Exhaustive(t, 3, holding(true, heldBack))
	explore.Freeze(t, holding(true, heldBack))
}

// TestExploreMailboxLimitControls leaves out the second look: then a unit is muted for ever.
func TestExploreMailboxLimitControls(t *testing.T) {
	explore.MustFail(t, 3, holding(false, func(x, y *unit) {
		h := &mute{unit: x, on: y}
		x.ext.Load().held.Store(h)
		y.ext.Load().limit.muted.Add(&h.Node) // and no H3
	}))
}

// circle has units whose mailboxes are all above their limits send to each other in a circle, and
// be muted. In the end, one of them must run.
func circle(n int, holdBack func(x, y *unit)) func(*explore.Run) {
	return func(r *explore.Run) {
		rt := &Runtime{scheduler: sched.New(sched.Config{Processors: 1})}
		rt.free.rt = rt
		units := make([]*unit, n)
		for i := range units {
			units[i] = &unit{rt: rt}
			units[i].Kind = unitVtable
			b := &mailboxLimit{most: 1, full: WaitForRoom, room: make(chan struct{}, 1)}
			b.exceed()
			b.exceed()
			units[i].extend().limit = b
		}
		for i, x := range units {
			r.Go(fmt.Sprint("unit ", i), func() { holdBack(x, units[(i+1)%n]) })
		}
		r.After(func() {
			for _, x := range units {
				if x.ext.Load().held.Load() == nil {
					return
				}
			}
			r.Failf("all are held back, one for another")
		})
	}
}

// TestExploreMailboxLimitCircle closes a circle from all sides at the same time.
func TestExploreMailboxLimitCircle(t *testing.T) {
	explore.Exhaustive(t, explore.Unbounded, circle(2, heldBack))
	explore.Exhaustive(t, 2, circle(3, heldBack))
	explore.Freeze(t, circle(2, heldBack))
	explore.MustFail(t, 2, circle(2, func(x, y *unit) {
		if y.waitsFor(x) { // before H1, and not after it
			return
		}
		h := &mute{unit: x, on: y}
		x.ext.Load().held.Store(h)
		y.ext.Load().limit.muted.Add(&h.Node)
	}))
}

// TestExploreMailboxLimitRaise has a mailbox emptied while a sender finds it above its limit: over
// does not stay up.
func TestExploreMailboxLimitRaise(t *testing.T) {
	body := func(exceed func(b *mailboxLimit)) func(*explore.Run) {
		return func(r *explore.Run) {
			_, y := limited(1, 1)
			b := y.ext.Load().limit
			b.fill.Store(int64(oneMore))
			r.Go("sender", func() { exceed(b) })
			r.Go("owner", func() { b.drainPlaces(2) })
			r.After(func() {
				b.drainPlaces(2)
				if b.filling().over() {
					r.Failf("an empty mailbox is above its limit")
				}
			})
		}
	}
	explore.Exhaustive(t, explore.Unbounded, body((*mailboxLimit).exceed))
	explore.MustFail(t, explore.Unbounded, body(func(b *mailboxLimit) {
		if filling(b.fill.Add(int64(oneMore))).count() > b.most {
			b.fill.Or(int64(above)) // at another instant
		}
	}))
}

// TestExploreMailboxLimitStall has the unit x muted for y, while y comes to lie still for a message
// to both: x goes on.
func TestExploreMailboxLimitStall(t *testing.T) {
	body := func(holdBack func(x, y *unit)) func(*explore.Run) {
		return func(r *explore.Run) {
			x, y := limited(1, 2)
			b := y.ext.Load().limit
			b.fill.Store(int64(2 * oneMore))
			r.Go("sender", func() {
				b.exceed()
				holdBack(x, y)
			})
			r.Go("owner", func() {
				b.takeOut()
				b.stall()
			})
			r.After(func() {
				if x.ext.Load() != nil && x.ext.Load().held.Load() != nil {
					r.Failf("held for a unit that lies still")
				}
			})
		}
	}
	explore.Exhaustive(t, explore.Unbounded, body(heldBack))
	explore.MustFail(t, 3, body(func(x, y *unit) {
		b, h := y.ext.Load().limit, &mute{unit: x, on: y}
		x.extend().held.Store(h)
		b.muted.Add(&h.Node)
		if !b.filling().over() { // without a look whether y lies still
			b.releaseAll()
		}
	}))
}

// TestExploreMailboxLimitMulti has a unit send to two full mailboxes: the unit is muted until both
// have gone down.
func TestExploreMailboxLimitMulti(t *testing.T) {
	body := func(out int, holdBack func(x *unit, full []*unit)) func(*explore.Run) {
		return func(r *explore.Run) {
			x, y := limited(1, 2)
			_, z := limited(1, 2)
			full := [2]*mailboxLimit{y.ext.Load().limit, z.ext.Load().limit}
			for _, b := range full {
				b.fill.Store(int64(2 * oneMore))
			}
			r.Go("sender", func() {
				full[0].exceed()
				full[1].exceed()
				holdBack(x, []*unit{y, z})
			})
			r.Go("owner of one", func() { full[0].drainPlaces(out) })
			r.Go("owner of the other", func() { full[1].drainPlaces(3) })
			r.After(func() {
				full[1].drainPlaces(3)
				if full[0].filling().over() && x.ext.Load().held.Load() == nil {
					r.Failf("a unit goes on though one of two mailboxes that it filled is above its limit")
				}
				full[0].drainPlaces(3)
				if x.ext.Load().held.Load() != nil {
					r.Failf("held for ever")
				}
			})
		}
	}
	both := func(x *unit, full []*unit) { x.muteForPressed(&worker{rt: x.rt, pressed: full}) }
	for out := 1; out <= 3; out++ {
		explore.Exhaustive(t, 2, body(out, both))
	}
	explore.MustFail(t, 2, body(1, func(x *unit, full []*unit) { both(x, full[1:]) }))
}

// TestExploreMailboxLimitPeak has an owner come late with the news that its mailbox went down. That
// news does not release senders that have filled the mailbox again since, so each sender is ahead
// by one message at most.
func TestExploreMailboxLimitPeak(t *testing.T) {
	const most, senders = 1, 2
	body := func(owner func(b *mailboxLimit)) func(*explore.Run) {
		return func(r *explore.Run) {
			first, y := limited(1, most)
			second, _ := limited(1, 1)
			b := y.ext.Load().limit
			send := func(x *unit, times int) {
				for range times {
					if x.ext.Load().held.Load() == nil && !b.tryTake() {
						b.exceed()
						heldBack(x, y)
					}
				}
			}
			send(first, 2) // one within the limit, one above it
			r.Go("first", func() { send(first, 1) })
			r.Go("second", func() { send(second, 3) })
			r.Go("owner", func() { owner(b) })
			r.After(func() {
				if peak := b.peak.Load(); peak > most+senders {
					r.Failf("a mailbox for %d with %d senders held %d", most, senders, peak)
				}
			})
		}
	}
	explore.Exhaustive(t, 3, body(func(b *mailboxLimit) { b.drainPlaces(2) }))
	explore.MustFail(t, 3, body(func(b *mailboxLimit) {
		b.fill.Add(-2 * int64(oneMore))
		b.fill.And(^int64(above))
		for n := b.muted.TakeAll(); n != nil; n = n.Next() {
			// Without a look whether the mailbox is over again.
			(*mute)(unsafe.Pointer(n)).pass()
		}
	}))
}
