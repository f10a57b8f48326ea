package freerun

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/freerun-go/freerun/internal/route"
	"github.com/freerun-go/freerun/internal/sched"
)

// Intercept has fn called around each operation on the unit, or on all units of a kind: it is a
// wrapper, as interceptors and middleware are elsewhere. fn gets what is about to run, runs it with
// [Invocation.Next], and returns its error, or another one, which becomes the operation's. Several
// interceptors are called one inside another, those of the runtime ([InterceptAll]) outermost, then
// in the order of the options. An operation on several units has the interceptors of all of them,
// each once.
//
//	freerun.Intercept(func(c *freerun.Context, i *freerun.Invocation) error {
//		if d, ok := i.Arg().(*Deposit); ok && d.Amount < 0 {
//			return errNegative // it does not run
//		}
//		return i.Next(c)
//	})
//
// fn is a part of the operation: it runs on the operation's goroutine, when the futures in the
// argument are there and no other operation of the unit runs. All that holds for operations holds
// for it: it must not wait, but may send and call [Context.Block]; if it panics, the operation has
// panicked. A message that is refused, canceled or closed has no operation, so fn is not called for
// it. Nor is it called for activities, branches of joins, the functions of a kind ([NewKind],
// [OnStop]), those of [OnEnd] and [OnIdle], nor for [Stop], [Kind.Stop], [Watch], [Suspend] and
// [Retire]: so it does not guard the state from those who have the unit. A job of a [Keyed] is an
// operation without a name, as a closure is.
//
// Without interceptors nothing is paid for them. Around an operation they cost an allocation, and
// what they do. It panics if fn is nil.
func Intercept(fn func(c *Context, i *Invocation) error) UnitOption {
	by := newInterceptor("Intercept", fn)
	return UnitOption{func(x *unitExt, _ reflect.Type) { x.set().around = append(x.set().around, by) }}
}

// InterceptAll is [Intercept] for all operations of the runtime, free ones included. A [SmallOp] is
// not inlined then.
func InterceptAll(fn func(c *Context, i *Invocation) error) Option {
	by := newInterceptor("InterceptAll", fn)
	return Option{func(s *settings) { s.around = append(s.around, by) }}
}

// interceptor is one function of Intercept or InterceptAll. It is known by its address: that of a
// kind is the same for all units.
type interceptor struct {
	fn func(c *Context, i *Invocation) error
}

func newInterceptor(of string, fn func(c *Context, i *Invocation) error) *interceptor {
	if fn == nil {
		panic("freerun: " + of + " with a nil function")
	}
	return &interceptor{fn}
}

// Invocation is one run of an operation, as [Intercept] sees it. It belongs to the goroutine that
// runs the operation, until the interceptor has returned; a use elsewhere or later panics.
type Invocation struct {
	// Operation is the full name of the operation, as [NameOf] returns it, or the name of the
	// function for a closure.
	Operation string

	running *Context // with which the operation runs; nil once it has ended
	of      *core
	message *message
	// within is the message in whose run the operation runs again (Seam.Again); nil for most.
	within  *message
	told    bool           // the message has no future
	roomy   bool           // a held lies before it: keptInvocation
	by      []*interceptor // those that are still to be called, the next one first
	to      unsafe.Pointer // as for operation.invoke
	arg     any            // an *A
	result  any            // an *R
	outcome unsafe.Pointer // result
	// forwarded is the *result[R] that the operation has forwarded when it returned.
	forwarded any
	held      *held // nil: the outcome is known when the interceptors have returned
}

// Unit returns the name of the unit, with the key of one of a kind. It is empty for a unit without
// a name ([UnitName]), for several units, and for none.
func (i *Invocation) Unit() string { return i.checked().message.unit.called() }

// Arg returns a pointer to the argument, an *A for an operation that takes an A. What is written
// there is what the operation gets. For a closure it is a pointer to something unexported.
func (i *Invocation) Arg() any { return i.checked().arg }

// Result returns a pointer to the result, an *R for an operation that returns an R. It is zero
// before [Invocation.Next]. What is written there is the outcome if the interceptor returns nil: so
// one that has the answer already need not call Next. If the operation has forwarded a future, its
// outcome is the result, and what is written here is lost.
func (i *Invocation) Result() any { return i.checked().result }

// Next runs the operation, or the next interceptor inside, and returns its error: nil for an
// operation that has forwarded a future. The operation gets c, which is the context that the
// interceptor was called with, or one made from it: so values that an interceptor adds
// ([Context.WithValue]) travel with all that the operation sends. With one made from it, branches
// of joins run one after another, and nothing is inlined ([SmallOp]). An interceptor may call Next
// again, to have the operation run again. It panics if c is another context.
func (i *Invocation) Next(c *Context) error {
	i.checked()
	if c != i.running && (c.checked().rt != i.running.rt || c.running() != i.running) {
		panic("freerun: Next with another context than that of the operation")
	}
	if i.held != nil {
		c = c.keepingOn()
	}
	if len(i.by) == 0 {
		return i.invoke(c)
	}
	by := i.by
	i.by = by[1:]
	defer func() { i.by = by }() // also when the interceptor outside recovers a panic
	return by[0].fn(c, i)
}

// invoke calls the operation's function with a context, and notes what it has forwarded.
func (i *Invocation) invoke(with *Context) error {
	c := i.running
	c.forwarded, i.forwarded = nil, nil
	err := i.of.typed.run(with, i)
	forwarded := c.forwarded
	c.forwarded = nil
	switch {
	case forwarded == nil:
		return err
	case err == nil:
		return ErrForward // it has not returned what Forward returned
	case err == ErrForward:
		i.forwarded = forwarded
		return nil
	}
	return err
}

// end is called when the outermost interceptor has returned err. It returns the outcome's error.
func (i *Invocation) end(err error) error {
	c := i.running
	i.running = nil
	if err == nil && i.forwarded != nil && c.forwarded == nil {
		c.forwarded = i.forwarded
		return ErrForward
	}
	return err
}

// context returns the context of the operation, nil if that has ended.
func (i *Invocation) context() *Context {
	if i == nil {
		return nil
	}
	return i.running
}

// checked panics unless the caller is the goroutine that runs the operation.
func (i *Invocation) checked() *Invocation {
	if c := i.context(); c == nil || c.running() != c || c.current != i.message && (c.current == nil || c.current != i.within) {
		panic("freerun: use of an Invocation outside of its interceptor, or by another goroutine than the operation's")
	}
	return i
}

// invocation is an Invocation with argument and result.
type invocation[A, R any] struct {
	Invocation Invocation
	arg        A
	result     R
}

// keptInvocation is an invocation whose outcome is likely to be kept back: one allocation for both.
type keptInvocation[A, R any] struct {
	held held // found by room
	of   invocation[A, R]
}

func (o *operation[A, R]) invocation(to, arg unsafe.Pointer, kept bool) *Invocation {
	var i *invocation[A, R]
	if kept {
		k := new(keptInvocation[A, R])
		k.held.of, k.of.Invocation.roomy = &k.of.Invocation, true
		i = &k.of
	} else {
		i = new(invocation[A, R])
	}
	i.arg = *(*A)(arg)
	i.Invocation.of, i.Invocation.to = &o.core, to
	i.Invocation.arg, i.Invocation.result = &i.arg, &i.result
	i.Invocation.outcome = unsafe.Pointer(&i.result)
	return &i.Invocation
}

func (o *operation[A, R]) run(c *Context, i *Invocation) (err error) {
	*i.result.(*R), err = o.invoke(c, i.to, *i.arg.(*A))
	return err
}

// surrounded invokes the operation of message m with its interceptors. m is in its plain form.
func (o *core) surrounded(c *Context, to unsafe.Pointer, m *message, told bool) (*Invocation, error) {
	return o.around(c, to, o.argIn(m, told), m, told)
}

// around is surrounded with the argument at arg.
func (o *core) around(c *Context, to, arg unsafe.Pointer, m *message, told bool) (*Invocation, error) {
	i := o.typed.invocation(to, arg, o.route.Form == route.Run && m.unit.hasStore())
	k := m.vtable()
	i.running, i.message, i.told, i.by = c, m, told, m.interceptors()
	if i.Operation = k.describe(m); o.declared != nil {
		i.Operation = o.declared.full
	}
	if k.code != nil {
		c.function.Store(k.code(m)) // for what interceptors send
	}
	returned := false
	defer func() { i.left(c, returned) }()
	err := i.end(i.Next(c))
	returned = true
	return i, err
}

// runSendAround is runSend for a message in the form around. From its begin on, the message is in
// its plain form again: for its end it is as any other.
func (o *core) runSendAround(p *sched.Processor, t *sched.Task) {
	w := workerOf(p)
	m := (*promised)(unsafe.Pointer(t))
	k := m.bare()
	to, err := k.target(&m.message)
	if err != nil {
		o.failSend(w, &m.message, err)
		return
	}
	c := w.begin(&m.message, k, m)
	if c == nil {
		o.failSend(w, &m.message, m.refusal())
		return
	}
	i, err := o.surrounded(c, to, &m.message, false)
	o.dropArgument(&m.message)
	w, forwarded := c.end()
	if i.held != nil {
		i.keepBack(w, k, err, forwarded)
		return
	}
	if err == nil && forwarded == nil {
		o.typed.setResult(m, i.outcome)
	}
	o.settle(w, m, err, forwarded)
	if k.release != nil {
		k.release(w, &m.message, false)
	}
}

// runTellAround is runTell for a message in the form around.
func (o *core) runTellAround(p *sched.Processor, t *sched.Task) {
	w := workerOf(p)
	m := (*message)(unsafe.Pointer(t))
	k := m.bare()
	to, err := k.target(m)
	if err != nil {
		o.failTell(w, m, err)
		return
	}
	c := w.begin(m, k, nil)
	if c == nil {
		o.failTell(w, m, m.refusal())
		return
	}
	i, err := o.surrounded(c, to, m, true)
	o.dropToldArgument(m)
	if i.held != nil {
		w, _ = c.end()
		i.keepBack(w, k, err, nil)
		return
	}
	c.endTell(m, k, o.id, err)
}

// intercepted gives k its form around, which run runs.
func (k *vtable) intercepted(run func(p *sched.Processor, t *sched.Task)) {
	around := *k
	around.plain = k
	k.around = newVtable(around, run)
}

// notIntercepted keeps all interceptors from the operation: it is none of the program.
func (o *core) notIntercepted() { o.sent.around, o.told.around = nil, nil }

// keepsHouse makes the operation the runtime's own: no interceptor and no route sees it, and a
// Close may leave its messages.
func (o *core) keepsHouse() {
	o.notIntercepted()
	o.sent.routed, o.told.routed = nil, nil
	o.sent.chore, o.told.chore = true, true
}

// surround gives the message, which the caller is about to run or queue, its form around.
func (m *message) surround() {
	if around := m.vtable().around; around != nil {
		m.become(around)
	}
}

// bare gives the message its plain form again, and returns that.
func (m *message) bare() *vtable {
	k := m.vtable().plain
	m.become(k)
	return k
}

// interceptors returns those of the message's unit, of its units, or of the runtime.
func (m *message) interceptors() []*interceptor {
	switch k := m.vtable(); {
	case k.multiAt != 0:
		return k.multi(m).interceptors()
	case m.free():
		return m.unit.rt.around
	}
	return m.unit.interceptors()
}

// interceptors returns the unit's interceptors and those of its runtime, the outermost first.
func (u *unit) interceptors() []*interceptor {
	if x := u.ext.Load(); x != nil {
		return x.has().around
	}
	return nil
}

// interceptedBy puts the runtime's interceptors around those of the unit's options. No other
// goroutine knows the unit yet.
func (x *unitExt) interceptedBy(rt *Runtime) {
	if rt.around != nil {
		x.set().around = slices.Concat(rt.around, x.set().around)
	}
}

// interceptors returns the interceptors of all units, each once.
func (m *multi) interceptors() []*interceptor {
	all := m.whole().unit.rt.around
	all = all[:len(all):len(all)]
	parts := m.all()
	for i := range parts {
		for _, by := range parts[i].unit.interceptors() {
			if !slices.Contains(all, by) {
				all = append(all, by)
			}
		}
	}
	return all
}

// intercept gives a message that is about to be placed its form around, if a unit has interceptors.
func (m *multi) intercept() {
	whole := m.whole()
	found := whole.unit.rt.around != nil
	parts := m.all()
	for i := range parts {
		found = found || parts[i].unit.interceptors() != nil
	}
	if found {
		whole.surround()
	}
}
