package freerun_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// publication is the nth one of a publisher.
type publication struct{ by, n int }

// hearings notes what a subscriber gets: all of it must be in the order of each publisher.
type hearings struct {
	last  [8]int
	got   int
	wrong *publication
}

func (l *hearings) note(p publication) {
	if p.n <= l.last[p.by] && l.wrong == nil {
		l.wrong = &p
	}
	l.last[p.by], l.got = p.n, l.got+1
}

var noted = freerun.Op("topic.noted", func(_ *freerun.Context, l *hearings, p publication) (int, error) { l.note(p); return l.got, nil })

// TestTopicStress has operations, activities and goroutines publish to subscribers of all sorts,
// while others come and go. What each has got and missed is all that was published.
func TestTopicStress(t *testing.T) {
	const publishers, each = 6, 3000
	rt := runtimetest.Quiet(t, freerun.Processors(3))
	ctx := runtimetest.Within(t)
	var topic freerun.Topic[publication]
	type account struct {
		name string
		of   *freerun.Subscription
		got  func() hearings
	}
	var all []account
	unit := func(name string, subscribe func(u *freerun.Unit[hearings]) *freerun.Subscription, options ...freerun.UnitOption) {
		u := freerun.NewUnit(rt, hearings{}, options...)
		all = append(all, account{name, subscribe(u), func() hearings {
			return runtimetest.Must(t, freerun.Read(rt.Context(), u, func(_ *freerun.Context, l *hearings) (hearings, error) { return *l, nil }))
		}})
	}
	plain := func(u *freerun.Unit[hearings]) *freerun.Subscription { return freerun.Subscribe(&topic, noted, u) }
	newest := func(most int) func(u *freerun.Unit[hearings]) *freerun.Subscription {
		return func(u *freerun.Unit[hearings]) *freerun.Subscription {
			return freerun.SubscribeNewest(&topic, noted, u, most)
		}
	}
	unit("a unit", plain)
	unit("a unit with Reject", plain, freerun.MailboxLimit(4, freerun.Reject))
	unit("a unit with WaitForRoom", plain, freerun.MailboxLimit(4, freerun.WaitForRoom))
	unit("the newest", newest(1))
	unit("the newest with a limit", newest(8), freerun.MailboxLimit(1, freerun.Reject))
	unit("the newest with WaitForRoom", newest(3), freerun.MailboxLimit(1, freerun.WaitForRoom))
	unit("an urgent unit", newest(3), freerun.UnitPriority(freerun.High))
	var receivers sync.WaitGroup
	receiver := func(name string, s *freerun.Subscription, receive func() (publication, bool)) {
		l := &hearings{}
		receivers.Go(func() {
			for p, ok := receive(); ok; p, ok = receive() {
				l.note(p)
			}
		})
		all = append(all, account{name, s, func() hearings { return *l }})
	}
	var channels []chan publication
	for _, full := range []freerun.FullPolicy{freerun.Reject, freerun.WaitForRoom, freerun.DropOldest} {
		box, s := freerun.SubscribeMailbox(&topic, 3, full)
		receiver("a mailbox", s, func() (publication, bool) { p, err := box.Receive(ctx); return p, err == nil })
		ch := make(chan publication, 3)
		channels = append(channels, ch)
		receiver("a channel", freerun.SubscribeChannel(&topic, ch, full), func() (publication, bool) { p, ok := <-ch; return p, ok })
	}

	var published sync.WaitGroup
	published.Add(publishers)
	for by := range publishers {
		publish := func(c *freerun.Context) {
			for n := range each {
				topic.Publish(c, publication{by, n + 1})
			}
		}
		switch by % 3 {
		case 0:
			go func() { publish(rt.Context()); published.Done() }()
		case 1:
			activity.Go(rt, func(a *activity.Activity) { publish(freerun.ContextOf(a)); published.Done() })
		default:
			freerun.Do(rt.Context(), freerun.NewUnit(rt, 0), func(c *freerun.Context, _ *int) (int, error) {
				publish(c)
				published.Done()
				return 0, nil
			})
		}
	}
	ended := make(chan struct{})
	var passing sync.WaitGroup
	for i := range 2 {
		passing.Go(func() {
			random := rand.New(rand.NewPCG(uint64(i), 1))
			for {
				select {
				case <-ended:
					return
				default:
				}
				u := freerun.NewUnit(rt, hearings{})
				s := []*freerun.Subscription{plain(u), newest(2)(freerun.NewUnit(rt, hearings{}))}
				if random.IntN(2) == 0 {
					freerun.Stop(rt.Context(), u).Wait(ctx)
				}
				for _, s := range s {
					s.Unsubscribe()
				}
				if l := runtimetest.Must(t, freerun.Go(rt.Context(), func(*freerun.Context) (int, error) { return topic.Len(), nil })); l < len(all) {
					t.Errorf("%d have subscribed", l)
				}
			}
		})
	}
	published.Wait()
	close(ended)
	passing.Wait()
	if n := topic.Len(); n != len(all) {
		t.Errorf("%d have subscribed, of %d", n, len(all))
	}
	topic.Close()
	for _, ch := range channels {
		close(ch)
	}
	receivers.Wait()
	if err := rt.Quiesce(ctx); err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		l := a.got()
		if l.wrong != nil {
			t.Errorf("%s (%v): %v came late", a.name, a.of, *l.wrong)
		}
		if n := l.got + int(a.of.Missed()); n != publishers*each {
			t.Errorf("%s (%v) has got %d and missed %d of %d", a.name, a.of, l.got, a.of.Missed(), publishers*each)
		}
	}
}
