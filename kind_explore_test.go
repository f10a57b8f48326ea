//go:build explore

package freerun

import (
	"errors"
	"slices"
	"testing"
	"time"
	"unsafe"
	"weak"

	"github.com/freerun-go/freerun/internal/scan"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// theater is a program with units of a kind, and others, and messages to them. There are no
// processors: after each of its sends, a thread runs what was injected, until nothing is left. So
// what one thread makes ready, another one may run at once. All else is the real code.
type theater struct {
	r     *explore.Run
	rt    *Runtime
	kind  *Kind[int, *seat]
	home  *kindHome
	units []*Unit[*seat] // in the order in which messages to several units come to them
	keyed []*keyedUnit[int, *seat]
	sent  []note
	ran   []string
	begun int // activations
	ended atomics.Bool

	// fresh makes a state, or returns the future to forward.
	fresh func(w *worker, key int) (err error, from *result[*seat])
	take  func(w *worker, u *unit, m *message) taken // unit.take, or a faulty one
}

// note is a message that was sent, and its name.
type note struct {
	name   string
	result *result[*seat]
}

// seat is the state of a unit. Only one operation at a time may be there.
type seat struct {
	_       scan.Opaque
	in      *theater
	visits  atomics.Plain[int]
	dropped bool
}

var (
	staged = NewKind("staged", func(*Context, int) (*seat, error) { panic("made by the theater") }, OnStop(leaveSeat))
	small2 = NewKind("staged.small", func(*Context, int) (*seat, error) { panic("made by the theater") }, OnStop(leaveSeat), MaxActive(1))

	visitOp = Op("staged.visit", func(_ *Context, s **seat, name string) (*seat, error) { return (*s).visit(name), nil })
	afterOp = Op("staged.after", func(_ *Context, s **seat, a visitAfter) (*seat, error) { return (*s).visit(a.name), nil })
	allOp   = OpAll("staged.all", func(_ *Context, all []**seat, name string) (*seat, error) {
		for _, s := range all {
			(*s).occupy()
		}
		return (*all[0]).visit(name), nil
	})
	// waitedOp has the time pass for which messages fail after a failure, and calls its argument.
	waitedOp = lifeOperation("staged.waited", func(_ *Context, u *unit, waited func()) (*seat, error) {
		if f := u.ext.Load().keyed().failed(); f != nil && !f.retry.IsZero() {
			f.retry = time.Time{}
			waited()
		}
		return nil, nil
	})
	errStaged = errors.New("staged")
)

type visitAfter struct {
	name string
	f    Future[*seat]
}

func leaveSeat(_ *Context, _ int, s **seat) {
	(*s).occupy()
	(*s).dropped = true
}

// occupy is what each operation does with a state.
func (s *seat) occupy() {
	if s.dropped {
		s.in.r.Failf("an operation on a state that was dropped")
	}
	s.visits.Set(s.visits.Get() + 1)
}

// visit returns the state of a unit that forwards the future of the visit.
func (s *seat) visit(name string) *seat {
	s.occupy()
	s.in.ran = append(s.in.ran, name)
	return &seat{in: s.in}
}

func newTheater(r *explore.Run, k *Kind[int, *seat], keyed, plain int) *theater {
	rt := &Runtime{draining: make(chan struct{}), scheduler: sched.New(sched.Config{Processors: 1})}
	rt.free.rt, rt.outside.rt, rt.context.rt = rt, rt, rt
	rt.context.worker.Store(&rt.outside)
	x := &theater{r: r, rt: rt, kind: k, home: k.makeHome(rt, k.usual)}
	x.fresh = func(*worker, int) (error, *result[*seat]) { return nil, nil }
	x.take = func(w *worker, u *unit, m *message) taken { return u.take(w, m) }
	k.activate = func(w *worker, u *unit) *sched.Task {
		x.begun++
		return k.begin(w, u)
	}
	for range plain {
		x.units = append(x.units, NewUnit(rt, &seat{in: x}))
	}
	table := &homeOfKind[int, *seat](x.home).table
	table.HashBy(func(key int) uint64 { return uint64(key) << 60 })
	for key := range keyed {
		u := &keyedUnit[int, *seat]{}
		u.entry.Key = key
		u.unit.rt, u.unit.Kind = rt, unitVtable
		u.keyed.settings = x.home.units
		u.unit.ext.Store(&u.keyed.unitExt)
		// The collector takes none: the test holds it, and there is no cleanup.
		u.weakly = &weakEntry[int, *seat]{entry: entry[int]{u.entry.Entry, ^u.entry.nth}, unit: weak.Make(u)}
		table.LoadOrStore(&u.weakly.Entry)
		// The next back-off is so long that no execution comes to its end.
		u.keyed.withRare().failed = &activationFailure{err: ErrClosed, times: 20}
		x.units, x.keyed = append(x.units, &u.Unit), append(x.keyed, u)
	}
	return x
}

// thread declares a thread that does what there is to do, and then runs what is left.
func (x *theater) thread(name string, do ...func(w *worker)) {
	x.r.Go(name, func() {
		w := x.rt.detachedWorker()
		for _, one := range do {
			one(w)
			x.pump(w)
		}
	})
}

// pump runs what was injected, until nothing is left.
func (x *theater) pump(w *worker) {
	for n := x.rt.scheduler.TakeInjected(); n != nil; n = x.rt.scheduler.TakeInjected() {
		for n != nil {
			t := (*sched.Task)(unsafe.Pointer(n))
			n = n.Next()
			t.Node.Link(nil)
			switch {
			case x.ended.Load(): // as the scheduler does once it has stopped
				t.Kind.Discard(t)
			case isUnit(t):
				x.drain(w, unitOf(t))
			default:
				x.perform(w, (*message)(unsafe.Pointer(t)))
			}
		}
	}
}

// drain is the drain of a processor.
func (x *theater) drain(w *worker, u *unit) {
	for {
		m, later := u.next(w)
		if m == nil && !later {
			return
		}
		if m == nil {
			continue
		}
		switch x.take(w, u, m) {
		case gone:
			return
		case ready:
			x.perform(w, m)
		}
	}
}

// perform runs a message.
func (x *theater) perform(w *worker, m *message) {
	switch k := m.vtable(); {
	case k.makesFor != nil:
		x.make(w, m)
	case k == x.kind.stopping.core.sent:
		s := sendMessageOf[stopReason, bool](m)
		s.result.value = x.kind.runStop(&x.rt.context, m.unit, s.arg)
		x.kind.stopping.core.settle(w, &s.result.promised, nil, nil)
	case !slices.ContainsFunc(onStage, func(performs performer) bool { return performs(x, w, m) }):
		x.r.Failf("%s is not for the theater", k.name)
	}
}

// onStage are the operations of the theater.
var onStage = []performer{
	performerOf(&visitOp.op), performerOf(&afterOp.op), performerOf(&allOp.op), performerOf(waitedOp), performerOf(&keepOp.op),
	performerOf(&askOp.op), performerOf(&leaveOp.op), performerOf(&strikeOp.op), performerOf(beginWatch),
}

// performer runs a message of one operation. It returns false for a message of another.
type performer func(x *theater, w *worker, m *message) bool

func performerOf[A, R any](o *operation[A, R]) performer {
	return func(x *theater, w *worker, m *message) bool {
		k := m.vtable()
		if mine := k == o.core.sent && o.core.placed == nil || k == o.core.placed; !mine {
			return false
		}
		performAs(x, o, w, m)
		return true
	}
}

func sendMessageOf[A, R any](m *message) *sendMessage[A, R] {
	return (*sendMessage[A, R])(unsafe.Pointer(m))
}

// performAs is operation.runSend without a processor.
func performAs[A, R any](x *theater, o *operation[A, R], w *worker, m *message) {
	k := m.vtable()
	to, err := k.target(m)
	if err == nil && x.rt.phase.Load() >= aborting {
		err = ErrClosed
	}
	if err != nil {
		o.core.failSend(w, m, err)
		return
	}
	s := sendMessageOf[A, R](m)
	s.result.value, err = o.invoke(&x.rt.context, to, s.arg)
	o.core.settle(w, &s.result.promised, err, nil)
	if k.release != nil {
		k.release(w, m, false)
	}
}

// make is performAs for a message that makes a state.
func (x *theater) make(w *worker, m *message) {
	o, s := &x.kind.activating.core, sendMessageOf[int, *seat](m)
	if x.rt.phase.Load() >= aborting {
		o.failSend(w, m, ErrClosed)
		return
	}
	switch err, from := x.fresh(w, s.arg); {
	case err != nil:
		o.settle(w, &s.result.promised, err, nil)
	case from != nil:
		o.settle(w, &s.result.promised, ErrForward, from)
	default:
		s.result.value = &seat{in: x}
		o.settle(w, &s.result.promised, nil, nil)
	}
}

// enroll completes a message, and notes its result.
func enroll[A any](x *theater, name string, o *operation[A, *seat], m *sendMessage[A, *seat], arg A, u *unit) *result[*seat] {
	m.arg = arg
	m.result.promised.start(&o.core, u)
	x.sent = append(x.sent, note{name, &m.result})
	return &m.result
}

// visit sends a message to unit i.
func (x *theater) visit(w *worker, name string, i int) *result[*seat] {
	m := &sendMessage[string, *seat]{}
	f := enroll(x, name, &visitOp.op, m, name, &x.units[i].unit)
	visitOp.op.core.launch(w, &m.result.promised, anySender)
	return f
}

// visitAfter sends a message to unit i that waits for f.
func (x *theater) visitAfter(w *worker, name string, i int, f *result[*seat]) *result[*seat] {
	m := &sendMessage[visitAfter, *seat]{}
	mine := enroll(x, name, &afterOp.op, m, visitAfter{name, Future[*seat]{cell: f}}, &x.units[i].unit)
	afterOp.op.core.launch(w, &m.result.promised, anySender)
	return mine
}

// all sends a message to several units.
func (x *theater) all(w *worker, name string, units ...int) *result[*seat] {
	m := &multiSend[string, *seat]{}
	list := make([]*Unit[*seat], len(units))
	for i, u := range units {
		list[i] = x.units[u]
	}
	setUnits(&m.multi, list)
	m.multi.offset = uint32(unsafe.Offsetof(m.multi))
	f := enroll(x, name, &allOp.op, &m.send, name, &x.rt.free)
	if err := m.multi.arrange(w); err != nil {
		x.r.Failf("%v", err)
	}
	// Addresses differ from one execution to the next, so the order is that of the numbers.
	inTurn := slices.Clone(units)
	slices.Sort(inTurn)
	for i, parts := 0, m.multi.all(); i < len(parts); i++ {
		parts[i].nth = int32(slices.Index(units, inTurn[i]))
	}
	allOp.op.core.launch(w, &m.send.result.promised, anySender)
	return f
}

// stop tells unit i, which is of the kind, to become passive.
func (x *theater) stop(w *worker, i int) {
	m := &sendMessage[stopReason, bool]{arg: stopAsked}
	m.result.promised.start(&x.kind.stopping.core, &x.units[i].unit)
	x.kind.stopping.core.launch(w, &m.result.promised, anySender)
}

// source returns a result that another thread gives its outcome, with resolve.
func (x *theater) source() *result[*seat] {
	m := &sendMessage[string, *seat]{}
	m.result.promised.start(&visitOp.op.core, &x.rt.free)
	return &m.result
}

func (x *theater) resolve(w *worker, r *result[*seat]) {
	r.value = &seat{in: x}
	r.promised.fill(w)
}

// counted returns how often messages have ended.
func (x *theater) counted() uint64 { return x.rt.ingress.ran.Load() + x.rt.ingress.failed.Load() }

// check holds in the end that no unit lies still, that each message has one outcome, which allowed
// allows, and that each state is dropped or in use.
func (x *theater) check(allowed func(n note, err error) bool) {
	for i, u := range x.units {
		if !u.unit.mailbox.GiveUp() && u.unit.mailbox.Newest() != nil {
			x.r.Failf("unit %d lies still", i)
		}
	}
	inUse := uint64(0)
	for i, u := range x.keyed {
		held := homeOfKind[int, *seat](x.home).table.Load(i) == &u.entry.Entry
		switch {
		case u.keyed.is(active):
			inUse++
			if u.state == nil || u.state.dropped || !held {
				x.r.Failf("unit %d is active, without a state, or the table does not hold it", i)
			}
		case u.keyed.is(activating), u.keyed.still.Load() != nil:
			x.r.Failf("unit %d is activating", i)
		case u.state != nil:
			x.r.Failf("unit %d is passive, with a state", i)
		case held:
			x.r.Failf("the table holds unit %d, which is passive", i)
		}
	}
	if s := &x.home.stats; s.activations.Load() != s.passivations.Load()+inUse || uint64(x.begun) != s.activations.Load()+s.failures.Load() {
		x.r.Failf("%d begun, %d activations, %d failures, %d passivations, %d active", x.begun, s.activations.Load(), s.failures.Load(), s.passivations.Load(), inUse)
	}
	if uint64(x.home.active.Load()) != inUse || x.home.asking.Load() != 0 {
		x.r.Failf("%d active by the count, %d by their phases; %d ask", x.home.active.Load(), inUse, x.home.asking.Load())
	}
	for _, n := range x.sent {
		closed, err := n.result.promised.Outcome()
		times := 0
		for _, name := range x.ran {
			if name == n.name {
				times++
			}
		}
		switch {
		case !closed:
			x.r.Failf("%s has no outcome", n.name)
		case err == nil && times != 1, err != nil && times != 0:
			x.r.Failf("%s ran %d times, and came to %v", n.name, times, err)
		case !allowed(n, err):
			x.r.Failf("%s came to %v", n.name, err)
		}
	}
}

func succeeds(_ note, err error) bool { return err == nil }

// while runs test with a variable set to another value.
func while[T any](v *T, is T, test func()) {
	was := *v
	*v = is
	defer func() { *v = was }()
	test()
}

// TestExploreKindActivation has first messages race for a unit, with each other and with a Stop:
// one state at a time, each message runs once, on a state that is not dropped.
func TestExploreKindActivation(t *testing.T) {
	body := func(stop func(x *theater, w *worker), faulty func(x *theater)) func(r *explore.Run) {
		return func(r *explore.Run) {
			x := newTheater(r, staged, 1, 0)
			if faulty != nil {
				faulty(x)
			}
			x.thread("one", func(w *worker) { x.visit(w, "a", 0) })
			x.thread("two", func(w *worker) { x.visit(w, "b", 0) })
			x.thread("stop", func(w *worker) { stop(x, w) }, func(w *worker) { x.visit(w, "c", 0) })
			r.After(func() { x.check(succeeds) })
		}
	}
	byMessage := func(x *theater, w *worker) { x.stop(w, 0) }
	explore.Exhaustive(t, 2, body(byMessage, nil))
	// A control: the owner goes on, while the unit is activating.
	explore.MustFail(t, 2, body(byMessage, func(x *theater) {
		x.take = func(w *worker, u *unit, m *message) taken {
			if t := u.take(w, m); t != gone {
				return t
			}
			return onward
		}
	}))
	// A control: the state is dropped by another one than the owner.
	explore.MustFail(t, 2, body(func(x *theater, _ *worker) {
		if u := x.keyed[0]; u.keyed.is(active) {
			u.state.dropped = true
			staged.forget(&u.unit)
			x.home.stats.passivations.Add(1)
		}
	}, nil))
}

// TestExploreKindFailure has a function fail, while messages come and the back-off passes: it is
// called no more often than it may be, and each message runs or fails.
func TestExploreKindFailure(t *testing.T) {
	body := func(take func(w *worker, u *unit, m *message) taken) func(r *explore.Run) {
		return func(r *explore.Run) { failingOnce(r, take) }
	}
	explore.Exhaustive(t, 2, body(func(w *worker, u *unit, m *message) taken { return u.take(w, m) }))
	// A control: an owner takes no note of a failure.
	explore.MustFail(t, 2, body(func(w *worker, u *unit, m *message) taken {
		if f := u.ext.Load().keyed().failed(); f != nil {
			f.retry = time.Time{}
		}
		return u.take(w, m)
	}))
}

// failingOnce is the program of TestExploreKindFailure.
func failingOnce(r *explore.Run, take func(w *worker, u *unit, m *message) taken) {
	x := newTheater(r, staged, 1, 0)
	x.take = take
	waited, calls := 0, 0
	x.fresh = func(*worker, int) (error, *result[*seat]) {
		if calls++; calls > 1+waited {
			r.Failf("called in the time of the back-off")
		}
		if calls == 1 {
			return errStaged, nil
		}
		return nil, nil
	}
	x.thread("one", func(w *worker) { x.visit(w, "a", 0) })
	x.thread("two", func(w *worker) { x.visit(w, "b", 0) })
	x.thread("time", func(w *worker) {
		m := &sendMessage[func(), *seat]{arg: func() { waited++ }}
		m.result.promised.start(&waitedOp.core, &x.units[0].unit)
		waitedOp.core.launch(w, &m.result.promised, anySender)
	}, func(w *worker) { x.visit(w, "c", 0) })
	r.After(func() {
		x.check(func(_ note, err error) bool {
			var why *ActivationError
			return err == nil || errors.As(err, &why) && errors.Is(err, errStaged)
		})
	})
}
