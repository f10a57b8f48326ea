//go:build explore

package freerun

import (
	"errors"
	"math"
	"slices"
	"testing"
	"unsafe"

	"github.com/anishathalye/porcupine"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// topicCall is a call of a topic: its verb, and the subscriber that it is about.
type topicCall struct {
	verb byte // s subscribe, u unsubscribe, p publish, c close
	i    int
}

// topicAnswer is what a call has done: whether it had an effect, and whom a publish has reached.
type topicAnswer struct {
	ok      bool
	reached [2]bool
}

// topicState is a topic as one thread alone sees it.
type topicState struct {
	in, out [2]bool
	closed  bool
}

// topicModel says what a topic answers.
var topicModel = porcupine.Model{
	Init: func() any { return topicState{} },
	Step: func(state, call, answer any) (bool, any) {
		s, c, a := state.(topicState), call.(topicCall), answer.(topicAnswer)
		before := s
		switch c.verb {
		case 's':
			s.in[c.i] = !s.closed
			return a.ok == s.in[c.i], s
		case 'u':
			s.in[c.i] = false
			return a.ok == before.in[c.i], s
		case 'c':
			s = topicState{closed: true}
			return true, s
		}
		return a.ok == !s.closed && a.reached == s.in, s
	},
}

// topicList are the methods of a Topic's list, or ones with a bug.
type topicList struct {
	add    func(t *topic, s *Subscription) bool
	remove func(t *topic, s *Subscription) bool
}

var soundList = topicList{(*topic).add, (*topic).remove}

// onTopic has each thread make its calls: s and S subscribe, u and U unsubscribe, p publishes and c
// closes. What they have seen must be linearizable, and each subscription that was added ends once
// if it has left.
func onTopic(list topicList, threads ...string) func(*explore.Run) {
	return func(r *explore.Run) {
		t := &Topic[int]{}
		var clock atomics.Int64
		var added, ends [2]atomics.Int64
		var history [3][]porcupine.Operation
		var subscriptions [2]*Subscription
		var reached [3]*[2]bool // by the publish of each thread
		for i := range subscriptions {
			subscriptions[i] = &Subscription{
				of: &t.topic, ended: func() { ends[i].Add(1) },
				deliver: func(_ *Context, by int) error { reached[by][i] = true; return nil },
			}
		}
		call := func(thread int, c topicCall) (a topicAnswer) {
			s := subscriptions[c.i]
			switch c.verb {
			case 's':
				if a.ok = list.add(&t.topic, s); a.ok {
					added[c.i].Add(1)
				}
			case 'u':
				if a.ok = list.remove(&t.topic, s); a.ok {
					s.end()
				}
			case 'c':
				t.Close()
			case 'p':
				reached[thread] = &a.reached
				a.ok = t.Publish(&Context{rt: &Runtime{}}, thread) == nil
			}
			return a
		}
		for thread, calls := range threads {
			r.Go(calls, func() {
				for _, verb := range []byte(calls) {
					c := topicCall{verb: verb}
					if verb == 'S' || verb == 'U' {
						c = topicCall{verb + 'a' - 'A', 1}
					}
					begin := clock.Add(1)
					a := call(thread, c)
					history[thread] = append(history[thread], porcupine.Operation{
						ClientId: thread, Input: c, Output: a, Call: begin, Return: clock.Add(1),
					})
				}
			})
		}
		r.After(func() {
			if all := slices.Concat(history[:]...); !porcupine.CheckOperations(topicModel, all) {
				r.Failf("not linearizable: %+v", all)
			}
			for i, s := range subscriptions {
				there := 0
				if l := t.topic.list.Load(); l != nil && slices.Contains(l.all, s) {
					there = 1
				}
				// One that finds the topic closed ends, too.
				if n := ends[i].Load(); n > 1 || added[i].Load() == 1 && int(n) != 1-there {
					r.Failf("subscription %d has ended %d times", i, n)
				}
			}
		})
	}
}

// TestExploreTopic has threads subscribe, unsubscribe, publish and close.
func TestExploreTopic(t *testing.T) {
	for _, threads := range [][]string{
		{"su", "p", "S"},
		{"sp", "Sp"},
		{"spu", "SpU"},
		{"sp", "c", "p"},
		{"s", "cu", "p"},
		{"su", "c"},
	} {
		explore.Exhaustive(t, 2, onTopic(soundList, threads...))
		explore.Freeze(t, onTopic(soundList, threads...))
	}
}

// TestExploreTopicControls has the bugs that the protocol excludes.
func TestExploreTopicControls(t *testing.T) {
	stored := soundList // a list that is stored: what another has added or closed meanwhile is lost
	stored.add = func(t *topic, s *Subscription) bool {
		l, next := t.list.Load(), &subscribers{}
		if l != nil {
			if l.closed {
				s.end()
				return false
			}
			next.all = slices.Clone(l.all)
		}
		next.all = append(next.all, s)
		t.list.Store(next)
		return true
	}
	explore.MustFail(t, 2, onTopic(stored, "sp", "Sp"))
	explore.MustFail(t, 2, onTopic(stored, "sp", "c", "p"))
	twice := soundList // who finds a subscription in the list ends it, whoever takes it out
	twice.remove = func(t *topic, s *Subscription) bool {
		l := t.list.Load()
		if l == nil || !slices.Contains(l.all, s) {
			return false
		}
		t.remove(s)
		return true
	}
	explore.MustFail(t, 2, onTopic(twice, "su", "c"))
}

// fakeUnit is a newest without a unit: its deliveries are counted, and run by a thread.
type fakeUnit struct {
	newest[int]
	r       *explore.Run
	mail    atomics.Int64 // deliveries that were told
	refuses atomics.Bool  // the next delivery is refused
	heard   []int
	c       *Context
}

var errStagedFull = errors.New("staged: full")

func newFakeUnit(r *explore.Run, most int) *fakeUnit {
	x := &fakeUnit{r: r}
	x.due = due{
		Subscription: &Subscription{}, unit: &unit{rt: &Runtime{}}, most: most, left: x.values.Len,
		drop: func() bool { _, ok := x.values.TryDequeue(); return ok },
	}
	x.c = (&Runtime{}).detachedWorker().newContext(nil)
	x.due.tell = func(*worker) error {
		if x.refuses.CompareAndSwap(true, false) {
			return errStagedFull
		}
		if x.mail.Add(1) > 1 {
			r.Failf("two deliveries at a time")
		}
		return nil
	}
	x.invoke = func(_ *Context, _ unsafe.Pointer, v int) error { x.heard = append(x.heard, v); return nil }
	return x
}

// work runs deliveries that were told, n at most.
func (x *fakeUnit) work(n int, run func()) {
	for range n {
		if x.mail.Load() == 0 {
			return
		}
		x.mail.Add(-1)
		run()
	}
}

func (x *fakeUnit) run() { runDelivery(&x.newest, nil, x.c, nil) }

// publishing has two publish to one unit.
func publishing(most int, put func(x *fakeUnit, v int), run func(x *fakeUnit), refuses bool, publishers ...[]int) func(*explore.Run) {
	return func(r *explore.Run) {
		x := newFakeUnit(r, most)
		x.refuses.Store(refuses)
		total := 0
		for i, all := range publishers {
			total += len(all)
			r.Go(string(rune('a'+i)), func() {
				for _, v := range all {
					put(x, v)
				}
			})
		}
		r.Go("unit", func() { x.work(2, func() { run(x) }) })
		r.After(func() {
			x.work(10, x.run)
			if n := x.due.missed.Load(); len(x.heard)+int(n) != total || x.values.Len() != 0 || x.due.told.Load() {
				r.Failf("of %d the unit has heard %v and missed %d, %d wait", total, x.heard, n, x.values.Len())
			}
			for _, all := range publishers {
				last := -1
				for _, v := range x.heard {
					if at := slices.Index(all, v); at >= 0 {
						if at <= last {
							r.Failf("heard %v of %v", x.heard, all)
						}
						last = at
					}
				}
				// The newest of all is never the one that is missed.
				if !refuses && len(publishers) == 1 && last != len(all)-1 {
					r.Failf("heard %v of %v", x.heard, all)
				}
			}
		})
	}
}

func putFake(x *fakeUnit, v int) { putNewest(&x.newest, x.c, v) }

// TestExploreNewest has two publish while the unit is at work: each value is heard in its
// publisher's order, or missed, and none is forgotten.
func TestExploreNewest(t *testing.T) {
	run := (*fakeUnit).run
	failed := func(x *fakeUnit) { x.due.failed(nil) }
	for _, most := range []int{1, 2} {
		explore.Exhaustive(t, 2, publishing(most, putFake, run, false, []int{1, 2}))
		explore.Exhaustive(t, 1, publishing(most, putFake, run, false, []int{1, 2}, []int{11}))
		explore.Random(t, 3000, publishing(most, putFake, run, false, []int{1, 2, 3}, []int{11, 12}))
		explore.Random(t, 3000, publishing(most, putFake, failed, false, []int{1, 2}, []int{11}))
		explore.Random(t, 3000, publishing(most, putFake, run, true, []int{1, 2}, []int{11}))
	}
	explore.Freeze(t, publishing(2, putFake, run, false, []int{1}, []int{11}))
}

// TestExploreNewestControls has the bugs that the protocol excludes.
func TestExploreNewestControls(t *testing.T) {
	run := (*fakeUnit).run
	// The unit does not look again after it has said that it is not told.
	explore.MustFail(t, 2, publishing(2, putFake, func(x *fakeUnit) {
		if v, ok := x.values.TryDequeue(); ok {
			x.heard = append(x.heard, v)
		}
		if x.values.Len() > 0 {
			x.due.pass(nil)
			return
		}
		x.due.told.Store(false)
	}, false, []int{1, 2}))
	// A publisher looks whether the unit is told before its value is there.
	explore.MustFail(t, 2, publishing(2, func(x *fakeUnit, v int) {
		told := x.due.told.Load()
		x.values.Enqueue(v)
		if !told {
			x.due.wake(nil)
		}
	}, run, false, []int{1, 2}))
	// Two find that the unit is not told, and both tell it.
	explore.MustFail(t, 2, publishing(2, func(x *fakeUnit, v int) {
		x.values.Enqueue(v)
		if !x.due.told.Load() {
			x.due.told.Store(true)
			x.due.pass(nil)
		}
	}, run, false, []int{1}, []int{11}))
}

// TestExploreUnitEnd has a subscription end while it begins to watch its unit: the watch has ended
// then, and the runtime does not keep it.
func TestExploreUnitEnd(t *testing.T) {
	body := func(begin func(x *unitEnd, w *watch)) func(*explore.Run) {
		return func(r *explore.Run) {
			rt, wheel, _ := handRuntime()
			rt.free.rt, rt.outside.rt = rt, rt
			w := &watch{timer: Timer{wheel: wheel, dormant: true}}
			w.result.promised.unit = &rt.free
			w.result.promised.become(watchVtable)
			w.timer.target = &w.result.promised.message
			x := &unitEnd{of: &Subscription{of: &topic{}}}
			r.Go("subscribe", func() {
				w.timer.begin(&rt.outside, watchVtable, math.MaxInt64)
				begin(x, w)
			})
			r.Go("leave", x.stop)
			r.After(func() {
				if w.result.promised.Open() {
					r.Failf("the watch goes on")
				}
				for range rt.watches.Range {
					r.Failf("the runtime keeps the watch")
				}
			})
		}
	}
	explore.Exhaustive(t, 3, body((*unitEnd).begin))
	// A control: who begins does not look whether the subscription has ended.
	explore.MustFail(t, 3, body(func(x *unitEnd, w *watch) { x.watch.Store(w) }))
}
