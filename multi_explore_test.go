//go:build explore

package freerun

import (
	"testing"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// crossing is a program with some units, and messages to one and to several of them. Nothing runs
// it but its senders: a sender that comes to own a unit, or queues a message, runs it, by the
// code for messages after the end of a runtime (shutdown.go).
type crossing struct {
	r     *explore.Run
	rt    *Runtime
	units []unit
	desks []atomics.Plain[int] // one for each unit; only one operation at a time may be there
	log   [][]string           // for each unit: the names of what ran
	sent  map[string][]int     // message → its units

	deliver  func(w *worker, u *unit, m *message) // unit.deliver, or a faulty one
	unsorted bool
	hasty    bool                   // writers say that they only look
	again    bool                   // senders use their messages to several units again
	renew    func(w *worker)        // worker.useAgain, or a faulty one
	idle     atomics.Pointer[multi] // a message to use again
	readings atomics.Int32
	wanted   int32 // the number of readings to come
}

func newCrossing(r *explore.Run, units int) *crossing {
	x := &crossing{
		r: r, rt: new(Runtime), units: make([]unit, units), desks: make([]atomics.Plain[int], units), log: make([][]string, units),
		sent: map[string][]int{}, deliver: func(w *worker, u *unit, m *message) { u.deliver(w, m, anySender) },
	}
	x.rt.free.rt = x.rt
	for i := range x.units {
		x.units[i].rt = x.rt
		x.units[i].Kind = unitVtable
	}
	return x
}

// run is the operation: it visits the desks of its units.
func (x *crossing) run(name string, units []int) {
	for _, i := range units {
		x.desks[i].Set(x.desks[i].Get() + 1)
		x.log[i] = append(x.log[i], name)
	}
}

// single sends a message to one unit.
func (x *crossing) single(w *worker, name string, to int) {
	m := &message{unit: &x.units[to]}
	m.become(newVtable(vtable{shared: x.hasty, fail: func(*worker, *message, error) { x.run(name, x.sent[name]) }}, nil))
	x.deliver(w, m.unit, m)
	w.discardOrphans()
}

// both sends a message to several units.
func (x *crossing) both(w *worker, name string, to ...int) {
	m := x.told(len(to))
	parts := m.multi.all()
	for i, u := range to {
		parts[i].unit = &x.units[u]
	}
	m.tell.message.become(newVtable(vtable{
		fail: func(w *worker, _ *message, _ error) {
			x.run(name, x.sent[name])
			m.multi.release(w, x.again)
		},
		recycle: func(*worker, *message) { x.idle.Store(&m.multi) },
	}, nil))
	if err := m.multi.arrange(w); err != nil {
		x.r.Failf("%s: %v", name, err)
	}
	if x.unsorted {
		for i := range parts {
			parts[i].nth = int32(i)
		}
	}
	m.multi.place(w)
	w.discardOrphans()
	if x.again {
		x.renew(w)
	}
}

// told returns a told message to that many units, perhaps a used one.
func (x *crossing) told(units int) *multiTell[int] {
	if x.again {
		if m := x.idle.Swap(nil); m != nil && int(m.n) == units {
			return (*multiTell[int])(unsafe.Pointer(m.whole()))
		}
	}
	m := &multiTell[int]{}
	m.multi.many, m.multi.n, m.multi.offset = &make([]multiPart, units)[0], int32(units), uint32(unsafe.Offsetof(m.multi))
	m.tell.message.unit = &x.rt.free
	return m
}

// errand is a message to send: its name, and its units.
type errand struct {
	name string
	to   []int
}

// isReader reports whether an errand is a reader: the names of readers begin with r.
func isReader(e errand) bool { return e.name[0] == 'r' }

// sender is a thread that sends errands, one after another.
func (x *crossing) sender(name string, errands ...errand) {
	for _, e := range errands {
		if isReader(e) {
			x.wanted++
		} else {
			x.sent[e.name] = e.to
		}
	}
	x.r.Go(name, func() {
		w := x.rt.discarder()
		for _, e := range errands {
			if isReader(e) {
				x.reader(w, e.name, e.to[0])
			} else if len(e.to) == 1 {
				x.single(w, e.name, e.to[0])
			} else {
				x.both(w, e.name, e.to...)
			}
		}
	})
}

// check holds that all messages ran, and that there is one order of all messages with which each
// unit and each sender agree.
func (x *crossing) check(senders ...[]errand) {
	after := map[string][]string{} // message → the messages behind it
	if n := x.readings.Load(); n != x.wanted {
		x.r.Failf("%d of %d readers ran", n, x.wanted)
	}
	for i, ran := range x.log {
		want := 0
		for _, to := range x.sent {
			for _, u := range to {
				if u == i {
					want++
				}
			}
		}
		if len(ran) != want {
			x.r.Failf("unit %d ran %v, not %d messages", i, ran, want)
		}
		if !x.units[i].mailbox.GiveUp() && x.units[i].mailbox.Newest() != nil {
			x.r.Failf("unit %d is idle and has an owner", i)
		}
		for k := 1; k < len(ran); k++ {
			after[ran[k-1]] = append(after[ran[k-1]], ran[k])
		}
	}
	for _, errands := range senders {
		for k := 1; k < len(errands); k++ {
			after[errands[k-1].name] = append(after[errands[k-1].name], errands[k].name)
		}
	}
	state := map[string]int{}
	var visit func(name string)
	visit = func(name string) {
		switch state[name] {
		case 1:
			x.r.Failf("no order agrees with %v and the senders: %s is behind itself", x.log, name)
		case 2:
			return
		}
		state[name] = 1
		for _, next := range after[name] {
			visit(next)
		}
		state[name] = 2
	}
	for name := range x.sent {
		visit(name)
	}
}

// crossed returns a program of senders.
func crossed(units int, faulty func(x *crossing), senders ...[]errand) func(r *explore.Run) {
	names := []string{"one", "two", "three", "four"}
	return func(r *explore.Run) {
		x := newCrossing(r, units)
		if faulty != nil {
			faulty(x)
		}
		for i, errands := range senders {
			x.sender(names[i], errands...)
		}
		r.After(func() { x.check(senders...) })
	}
}

var (
	twice      = [][]errand{{{"M", []int{0, 1}}}, {{"N", []int{1, 0}}}}
	passers    = [][]errand{{{"M", []int{0, 1}}}, {{"p", []int{0}}, {"q", []int{1}}}}
	twicePass  = [][]errand{{{"M", []int{0, 1}}}, {{"N", []int{1, 0}}}, {{"p", []int{0}}, {"q", []int{1}}}}
	backPass   = [][]errand{{{"M", []int{0, 1}}}, {{"N", []int{1, 0}}}, {{"q", []int{1}}, {"p", []int{0}}}}
	chain      = [][]errand{{{"M", []int{0, 1}}, {"m", []int{1}}}, {{"N", []int{2, 1}}, {"n", []int{2}}}, {{"O", []int{0, 2}}}}
	threeUnits = [][]errand{{{"M", []int{0, 1, 2}}}, {{"N", []int{2, 0}}}, {{"q", []int{2}}, {"p", []int{0}}}}
)

// TestExploreMulti holds in every interleaving that messages to several units are in one order
// everywhere, and that no message is lost.
func TestExploreMulti(t *testing.T) {
	t.Run("two", func(t *testing.T) { explore.Exhaustive(t, 3, crossed(2, nil, twice...)) })
	t.Run("passing", func(t *testing.T) { explore.Exhaustive(t, 4, crossed(2, nil, passers...)) })
	t.Run("two and passing", func(t *testing.T) { explore.Exhaustive(t, 2, crossed(2, nil, twicePass...)) })
	t.Run("two and passing back", func(t *testing.T) { explore.Exhaustive(t, 2, crossed(2, nil, backPass...)) })
	t.Run("chain", func(t *testing.T) { explore.Random(t, 20000, crossed(3, nil, chain...)) })
	t.Run("three units", func(t *testing.T) { explore.Random(t, 20000, crossed(3, nil, threeUnits...)) })
}

// TestExploreMultiFrozen stops a sender, or an owner, at any step: the other senders end their
// sends.
func TestExploreMultiFrozen(t *testing.T) {
	explore.Freeze(t, crossed(2, nil, twicePass...))
	explore.Freeze(t, crossed(3, nil, chain...))
}

var (
	readers      = [][]errand{{{"r1", []int{0}}, {"w1", []int{0}}}, {{"r2", []int{0}}, {"w2", []int{0}}}}
	threeReaders = [][]errand{{{"r1", []int{0}}, {"r2", []int{0}}}, {{"r3", []int{0}}, {"w", []int{0}}}, {{"v", []int{0}}, {"r4", []int{0}}}}
	readAndBoth  = [][]errand{{{"M", []int{0, 1}}, {"r1", []int{0}}}, {{"r2", []int{1}}, {"N", []int{1, 0}}}, {{"r3", []int{0}}, {"p", []int{1}}}}
)

// TestExploreReaders holds in every interleaving that readers run only beside readers, and that
// no message is left behind.
func TestExploreReaders(t *testing.T) {
	t.Run("two", func(t *testing.T) { explore.Exhaustive(t, 4, crossed(1, nil, readers...)) })
	t.Run("three", func(t *testing.T) { explore.Exhaustive(t, 2, crossed(1, nil, threeReaders...)) })
	t.Run("several units", func(t *testing.T) { explore.Exhaustive(t, 1, crossed(2, nil, readAndBoth...)) })
	t.Run("many", func(t *testing.T) { explore.Random(t, 10000, crossed(1, nil, threeReaders...)) })
	t.Run("many, several units", func(t *testing.T) { explore.Random(t, 20000, crossed(2, nil, readAndBoth...)) })
	t.Run("frozen", func(t *testing.T) { explore.Freeze(t, crossed(2, nil, readAndBoth...)) })
}

// TestExploreMultiControls plants faults that the explorer must find.
func TestExploreMultiControls(t *testing.T) {
	t.Run("a plain message does not help", func(t *testing.T) {
		explore.MustFail(t, 3, crossed(2, func(x *crossing) {
			x.deliver = func(w *worker, u *unit, m *message) {
				if u.mailbox.Enqueue(&m.Node) {
					u.queue(w)
				}
			}
		}, passers...))
	})
	t.Run("a writer does not wait for readers", func(t *testing.T) {
		explore.MustFail(t, 2, crossed(1, func(x *crossing) { x.hasty = true }, readers...))
	})
	t.Run("units in the order of the arguments", func(t *testing.T) {
		explore.MustFail(t, 2, crossed(2, func(x *crossing) { x.unsorted = true }, twice...))
	})
}

// reader sends a message that only looks at its unit.
func (x *crossing) reader(w *worker, name string, to int) {
	u := &x.units[to]
	m := &message{unit: u}
	admitted := newVtable(vtable{fail: func(w *worker, _ *message, _ error) {
		before := x.desks[to].Get()
		x.readings.Add(1)
		if after := x.desks[to].Get(); after != before {
			x.r.Failf("%s saw %d, then %d", name, before, after)
		}
		u.readerEnded(w)
	}}, nil)
	m.become(newVtable(vtable{shared: true, take: func(w *worker, u *unit, m *message) taken {
		return u.admitReader(w, m, admitted)
	}}, nil))
	u.deliver(w, m, anySender)
	w.discardOrphans()
}
