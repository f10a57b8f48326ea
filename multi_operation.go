package freerun

import (
	"reflect"
	"unsafe"

	"github.com/freerun-go/freerun/internal/route"
	"github.com/freerun-go/freerun/internal/scan"
)

// Operation2 is a named operation on two units at once, with states S and T: it takes an argument
// A and returns an R or an error. Declare it once, with [Op2]. Any goroutine may send it.
type Operation2[S, T, A, R any] struct {
	_  scan.Opaque
	op operation[A, R]
	definition[func(c *Context, s *S, t *T, arg A) (R, error)]
}

// Op2 declares an operation on two units. fn has the states of both to itself while it runs. All
// promises of [Op] hold.
func Op2[S, T, A, R any](name string, fn func(c *Context, s *S, t *T, arg A) (R, error)) *Operation2[S, T, A, R] {
	o := &Operation2[S, T, A, R]{}
	d := declare(name, OperationInfo{
		Constructor: "Op2", States: []reflect.Type{reflect.TypeFor[S](), reflect.TypeFor[T]()},
		Arg: reflect.TypeFor[A](), Result: reflect.TypeFor[R](),
	})
	o.op.core.declared = d
	o.define(d, fn, func(fn func(c *Context, s *S, t *T, arg A) (R, error)) {
		o.op.invoke = func(c *Context, to unsafe.Pointer, arg A) (R, error) {
			parts := (*[2]multiPart)((*multi)(to).behind())
			return fn(c, stateOf[S](unsafe.Pointer(parts[0].unit)), stateOf[T](unsafe.Pointer(parts[1].unit)), arg)
		}
		completeSeveral(&o.op, d.name, nil)
		operationsByName.Store(d.full, &o.op.core)
	})
	return o
}

// Send sends the operation to a and b, with arg, and returns the future of its result at once. It
// is as [Operation.Send], to two units: the message comes into the order of both at one instant.
// So what is sent to either unit after Send has returned runs after it, and all operations on
// several units that have units in common run in one order. In whatever order the units are
// given, nothing waits and nothing deadlocks: a unit that has come to the message lies still
// until the other has. If a and b are the same unit, the future fails with [ErrSameUnit]. Within
// the units the message has the place of a message of [Normal], whatever the priority of c, and
// it takes no room in a mailbox with a limit. One allocation.
func (o *Operation2[S, T, A, R]) Send(c *Context, a *Unit[S], b *Unit[T], arg A) Future[R] {
	m := &multiSend2[A, R]{}
	setTwo(&m.send.multi, &m.two, a.checked(), b.checked())
	return sendSeveral(o.checked(), c.checked(), &m.send, arg)
}

// Tell is Send without a future, as [Operation.Tell] is; it returns ErrSameUnit too. It allocates
// nothing in steady state. No goroutine is held back: a sender that may be far ahead of the
// receivers should take futures, and look at them from time to time.
func (o *Operation2[S, T, A, R]) Tell(c *Context, a *Unit[S], b *Unit[T], arg A) error {
	j, w, x, y := o.checked(), c.checked().here(), a.checked(), b.checked()
	m := (*multiTell2[A])(unsafe.Pointer(w.again(j.core.id)))
	if m == nil {
		m = &multiTell2[A]{}
		m.tell.multi.n = 2 // once: an owner of its last life may still read it
	}
	m.two[0].unit, m.two[1].unit = x, y
	return tellSeveral(j, c, w, &m.tell, arg)
}

// OperationAll is Operation2 for any number of units with states of one type, none included. The
// type may be an interface, for units whose states differ. Declare it with [OpAll].
type OperationAll[S, A, R any] struct {
	_  scan.Opaque
	op operation[A, R]
	definition[func(c *Context, states []*S, arg A) (R, error)]
}

// OpAll declares an operation on any number of units. fn gets their states in the order in which
// Send got the units, and has all of them to itself while it runs. It must not keep the slice.
// All promises of [Op] hold.
func OpAll[S, A, R any](name string, fn func(c *Context, states []*S, arg A) (R, error)) *OperationAll[S, A, R] {
	o := &OperationAll[S, A, R]{}
	d := declare(name, OperationInfo{
		Constructor: "OpAll", States: []reflect.Type{reflect.TypeFor[S]()}, Arg: reflect.TypeFor[A](), Result: reflect.TypeFor[R](),
	})
	o.op.core.declared = d
	o.define(d, fn, func(fn func(c *Context, states []*S, arg A) (R, error)) {
		o.op.invoke = func(c *Context, to unsafe.Pointer, arg A) (R, error) {
			return fn(c, statesOf[S]((*multi)(to)), arg)
		}
		completeSeveral(&o.op, d.name, nil)
		operationsByName.Store(d.full, &o.op.core)
	})
	return o
}

// Send is as [Operation2.Send], to all units, of which none may occur twice. The slice may be
// used again at once.
func (o *OperationAll[S, A, R]) Send(c *Context, units []*Unit[S], arg A) Future[R] {
	m := &multiSend[A, R]{}
	setUnits(&m.multi, units)
	return sendSeveral(o.checked(), c.checked(), m, arg)
}

// Tell is as [Operation2.Tell], to all units. It allocates the message, its parts, and when it runs
// the slice of states; for more than 8 units one slice more.
func (o *OperationAll[S, A, R]) Tell(c *Context, units []*Unit[S], arg A) error {
	m := &multiTell[A]{}
	setUnits(&m.multi, units)
	return tellSeveral(o.checked(), c.checked(), c.here(), m, arg)
}

// The messages to two units contain their parts.
type (
	multiSend2[A, R any] struct {
		send multiSend[A, R]
		two  [2]multiPart
	}
	multiTell2[A any] struct {
		tell multiTell[A]
		two  [2]multiPart
	}
)

// newSeveral returns a message to units that was not sent, with an argument that fill has filled.
func newSeveral[A, R any](units []*unit, fill func(arg any) error) (*promised, *multi, error) {
	m := &multiSend2[A, R]{}
	if len(units) == 2 {
		setTwo(&m.send.multi, &m.two, units[0], units[1])
	} else {
		m.send.multi.set(units)
	}
	return &m.send.send.result.promised, &m.send.multi, fill(&m.send.send.arg)
}

// set gives a new message its units, of which there is one, or more.
func (m *multi) set(units []*unit) {
	parts := make([]multiPart, len(units))
	for i, u := range units {
		parts[i].unit = u
	}
	m.n, m.many = int32(len(parts)), &parts[0]
}

// setTwo gives a new message to two units its units. m lies before the parts.
func setTwo(m *multi, parts *[2]multiPart, a, b *unit) {
	m.n = 2
	parts[0].unit, parts[1].unit = a, b
}

func setUnits[S any](m *multi, units []*Unit[S]) {
	if len(units) == 0 {
		return
	}
	parts := make([]multiPart, len(units))
	for i, u := range units {
		parts[i].unit = u.checked()
	}
	m.n, m.many = int32(len(parts)), &parts[0]
}

func statesOf[S any](m *multi) []*S {
	parts := m.all()
	states := make([]*S, len(parts))
	for i := range parts {
		states[i] = stateOf[S](unsafe.Pointer(parts[i].unit))
	}
	return states
}

func (o *Operation2[S, T, A, R]) checked() *operation[A, R] {
	if o == nil || o.op.core.placed == nil {
		panic(unready{unsafe.Pointer(o), "Op2"})
	}
	return &o.op
}

func (o *OperationAll[S, A, R]) checked() *operation[A, R] {
	if o == nil || o.op.core.placed == nil {
		panic(unready{unsafe.Pointer(o), "OpAll"})
	}
	return &o.op
}

// When2 sends fn to two units. fn has both states to itself while it runs, runs to its end, and
// must not wait. When2 returns the future of its result at once. It is [Operation2.Send] for a
// function that has no name, with the same order and the same errors: the message comes into the
// order of both units at one instant; nothing waits and nothing deadlocks, in whatever order the
// units are given; the same unit twice is an [ErrSameUnit]. As with [Do], the runtime cannot look
// into the function, so futures that it has captured are not waited for. It panics if c, a unit
// or fn is nil.
func When2[S, T, R any](c *Context, a *Unit[S], b *Unit[T], fn func(c *Context, a *S, b *T) (R, error)) Future[R] {
	if fn == nil {
		panic("freerun: When2 with a nil function")
	}
	o := knownClosure[func(*Context, *S, *T) (R, error), R](&severalClosures)
	if o == nil {
		o = closureOf(&severalClosures, completeSeveral, func(c *Context, to unsafe.Pointer, fn func(*Context, *S, *T) (R, error)) (R, error) {
			c.function.Store(codeOf(fn))
			parts := (*multi)(to).all()
			return fn(c, stateOf[S](unsafe.Pointer(parts[0].unit)), stateOf[T](unsafe.Pointer(parts[1].unit)))
		})
	}
	m := &multiSend2[func(*Context, *S, *T) (R, error), R]{}
	setTwo(&m.send.multi, &m.two, a.checked(), b.checked())
	return sendSeveral(o, c.checked(), &m.send, fn)
}

// WhenAll is When2 for any number of units with states of one type, none included. fn gets their
// states in the order of units, and must not keep the slice; units may be used again at once.
func WhenAll[S, R any](c *Context, units []*Unit[S], fn func(c *Context, states []*S) (R, error)) Future[R] {
	if fn == nil {
		panic("freerun: WhenAll with a nil function")
	}
	o := knownClosure[func(*Context, []*S) (R, error), R](&severalClosures)
	if o == nil {
		o = closureOf(&severalClosures, completeSeveral, func(c *Context, to unsafe.Pointer, fn func(*Context, []*S) (R, error)) (R, error) {
			c.function.Store(codeOf(fn))
			return fn(c, statesOf[S]((*multi)(to)))
		})
	}
	m := &multiSend[func(*Context, []*S) (R, error), R]{}
	setUnits(&m.multi, units)
	return sendSeveral(o, c.checked(), m, fn)
}

// Until it is ready, a message to several units lives as a sent or told message to one unit does.
// Then it is placed in all mailboxes and gets another vtable. With that it holds its units when
// it is run or fails, and lets go of them afterwards.

// multiSend is a sent message to several units. If those are two, the parts lie behind it, in the
// struct that contains it.
type multiSend[A, R any] struct {
	send  sendMessage[A, R]
	multi multi
}

// multiTell is a told message to several units. It is used again later than other told messages:
// multi_reuse.go.
type multiTell[A any] struct {
	tell  tellMessage[A]
	multi multi
}

// completeSeveral is complete for an operation on several units.
func completeSeveral[A, R any](o *operation[A, R], name string, code func(*message) uintptr) {
	complete(o, name, code)
	o.core.newSeveral = newSeveral[A, R]
	o.core.completeSeveral(unsafe.Offsetof(multiSend[A, R]{}.multi), unsafe.Offsetof(multiTell[A]{}.multi))
}

// completeSeveral makes what an operation on several units needs beside. inSend and inTell are the
// offsets of the multi in the messages.
func (o *core) completeSeveral(inSend, inTell uintptr) {
	o.route.Form = route.Several
	o.gate = newGate(inSend, 0)
	o.makeMultiVtables(inSend, inTell)
}

// placeSent places a sent message, unless a route refuses it, or takes it elsewhere.
func (o *core) placeSent(w *worker, msg *message) error {
	here, err := o.placed.multi(msg).meetRoutes(w)
	if here {
		o.placeSentHere(w, msg)
	}
	return err
}

// placeSentHere places a sent message. From now on it may have to wait for its units: its edge says
// so. That of a revocable message was led there when it became ready.
func (o *core) placeSentHere(w *worker, msg *message) {
	m, to := (*promised)(unsafe.Pointer(msg)), o.placed.multi(msg)
	to.meetUnits()
	if !m.revocable() {
		m.SetEdge(o.gate)
	}
	m.become(o.placed)
	to.intercept()
	rt := w.rt
	to.place(w)
	if to.near.Load() && to.mayWait() {
		to.look(rt)
	}
}

// placeTold is placeSent for a told message.
func (o *core) placeTold(w *worker, msg *message) error {
	here, err := o.placedTold.multi(msg).meetRoutes(w)
	if here {
		o.placeToldHere(w, msg)
	}
	return err
}

func (o *core) placeToldHere(w *worker, msg *message) {
	to := o.placedTold.multi(msg)
	to.meetUnits()
	msg.become(o.placedTold)
	to.intercept()
	to.place(w)
}

// sendSeveral sends m, whose parts have their units. It does not wait.
func sendSeveral[A, R any](o *operation[A, R], c *Context, m *multiSend[A, R], arg A) Future[R] {
	m.send.arg = arg
	o.core.sendSeveral(c, &m.send.result.promised, &m.multi)
	return Future[R]{cell: &m.send.result}
}

func (o *core) sendSeveral(c *Context, m *promised, to *multi) {
	w := c.here()
	to.offset = uint32(o.placed.multiAt)
	m.start(o, &w.rt.free)
	err := to.arrange(w)
	if err == nil {
		err = w.admits(c, m.unit, &m.message)
	}
	if err == errKept {
		if err := w.refusedWithin(&m.message); err != nil {
			o.failSend(w, &m.message, err)
			return
		}
	}
	if err != nil {
		o.refuseSend(c, w, m, err)
		return
	}
	o.launch(w, m, anySender)
}

// tellSeveral is sendSeveral for a message without a future.
func tellSeveral[A, R any](o *operation[A, R], c *Context, w *worker, m *multiTell[A], arg A) error {
	m.tell.arg = arg
	return o.core.tellSeveral(c, w, &m.tell.message, &m.multi)
}

func (o *core) tellSeveral(c *Context, w *worker, m *message, to *multi) error {
	to.offset = uint32(o.placedTold.multiAt)
	m.become(o.told)
	m.unit = &w.rt.free
	if err := to.arrange(w); err != nil {
		return err
	}
	if err := w.admits(c, m.unit, m); err != nil {
		if err != errKept {
			return err
		}
		if err := w.refusedWithin(m); err != nil {
			o.refuseTell(w, m, err)
			return err
		}
		w.keep(&keptTell{o, m})
		return nil
	}
	var err error
	if o.argPlan == nil {
		err = o.told.place(w, m)
	} else {
		if w.observed.Load() != 0 {
			w.traceNeeds(m, o.argPlan, o.toldArgOf(m))
		}
		err = o.collectTell(w, m, anySender)
	}
	if err != nil {
		o.refuseTell(w, m, err)
	}
	return err
}
