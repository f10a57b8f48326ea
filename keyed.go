package freerun

import (
	"context"
	"fmt"
	"reflect"
	"sync"
	"time"
	"unsafe"

	"github.com/freerun-go/freerun/internal/quiesce"
	"github.com/freerun-go/freerun/internal/scan"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Keyed is a pool for jobs with keys: it runs the jobs of one key one after another, in the order
// in which they were submitted, and those of different keys in parallel, on the runtime's
// processors. How many jobs it takes is limited. Make it with [NewKeyed].
//
//	k := freerun.NewKeyed(rt, freerun.KeyedLimits{PerKey: 100},
//		func(c *freerun.Context, customer string, e Event) error {
//			…
//		})
//	for e := range events {
//		if err := k.Submit(ctx, e.Customer, e); err != nil { // waits for room
//			break
//		}
//	}
//	err := k.Wait(ctx) // the first error of a job
//
// Any goroutine may call the methods. A Keyed needs no closing, and lives as long as anything
// refers to it or its jobs are open. A key costs nothing once it was idle for a second. The zero
// Keyed is of no use, and a Keyed must not be copied.
type Keyed[K comparable, J any] struct {
	_     scan.Opaque
	pool  keyedPool
	home  *homeOf[K, struct{}]
	forms *keyedForms[K, J]
	fn    func(c *Context, key K, job J) error
}

// keyedPool is the part of a [Keyed] that does not depend on its types.
type keyedPool struct {
	rt   *Runtime
	run  *core // the operation of the jobs
	full FullPolicy

	places  mailboxLimit // a place for each open job
	open    quiesce.Counter
	failure atomics.Pointer[keyedError]
}

// KeyedLimits says how many jobs a [Keyed] takes, and what happens when it is full. The zero value
// stands for 10,000 jobs, of any keys, and for Submits that wait.
type KeyedLimits struct {
	// Total is how many jobs may be open: submitted, and not done. 0 stands for 10,000.
	Total int
	// PerKey is how many jobs of one key may be open beside the one that runs. Without it, or if it
	// is not well below Total, the jobs of one slow key may take all places. 0 sets no limit.
	PerKey int
	// Full is what becomes of a Submit to a full Keyed: with [WaitForRoom] it waits, with [Reject]
	// it returns [ErrFull]. 0 stands for WaitForRoom.
	Full FullPolicy
}

const (
	usualJobs = 10_000
	keyedIdle = time.Second // after which a key costs nothing
)

// NewKeyed returns a Keyed that runs its jobs with fn. fn runs as an operation does: as many at a
// time as rt has processors. What waits for something, for the network or a database, belongs in
// [Context.Block]: other jobs run meanwhile, and the next one of the key comes after it. c is
// Submit's context if that is one of rt, and otherwise that of the runtime. What fn sends through
// c is not awaited by Wait, unless fn returns the error of a [Forward] of a Future[struct{}]: then
// the job is open, and the next one of its key may run, until that future has an outcome.
//
// If fn panics, or calls runtime.Goexit, the job fails with a [*PanicError], which is logged, too;
// the next job of the key runs.
//
// NewKeyed costs some allocations, so a batch of jobs may have a Keyed of its own. Any goroutine
// may call it; it does not wait. It panics if rt is nil or zero, if fn is nil, or if a limit is
// negative or Full is no policy.
func NewKeyed[K comparable, J any](rt *Runtime, limits KeyedLimits, fn func(c *Context, key K, job J) error) *Keyed[K, J] {
	rt.mustBeMade()
	limits.complete()
	if fn == nil {
		panic("freerun: NewKeyed with a nil function")
	}
	k := &Keyed[K, J]{fn: fn, forms: keyedFormsOf[K, J]()}
	p := &k.pool
	p.rt, p.run, p.full = rt, &k.forms.run.core, limits.Full
	p.places.most, p.places.full, p.places.room = int64(limits.Total), WaitForRoom, make(chan struct{}, 1)
	s := k.forms.kind.usual
	if limits.PerKey > 0 {
		s.apply(rt, []KindOption{MailboxLimit(limits.PerKey, WaitForRoom)})
	}
	k.home = homeOfKind[K, struct{}](k.forms.kind.makeHome(rt, s))
	return k
}

// complete checks the limits, and puts the usual ones where there are none.
func (l *KeyedLimits) complete() {
	switch {
	case l.Total < 0 || l.PerKey < 0:
		panic(fmt.Sprintf("freerun: NewKeyed with limits of %d jobs and %d of a key; they must not be negative", l.Total, l.PerKey))
	case l.Full > WaitForRoom:
		panic("freerun: NewKeyed with a Full that is neither Reject nor WaitForRoom")
	}
	if l.Total == 0 {
		l.Total = usualJobs
	}
	if l.Full == 0 {
		l.Full = WaitForRoom
	}
}

// Submit adds a job. It returns nil if the job was accepted. An accepted job runs once, or fails
// with a named error, which Wait tells; if Submit returns an error, the job never runs.
//
// If the Keyed is full, Submit waits for room until ctx is done, and then returns ctx's error, or
// [ErrCanceled] if that was the end of the job's scope. With
// [Reject] it returns [ErrFull] at once. It does so too, whatever the limits say, if the caller is
// an operation, such as a job, or an activity: neither ever waits here. Such a caller may run the
// job itself, try again by a timer, or give up.
//
// ctx limits the wait, and nothing else, unless it is a [Context] of the runtime, or derived from
// one: then the job belongs to the scope of that, and has its priority. So what an operation
// submits belongs to the operation's scope; and with s := rt.Scope(ctx, freerun.FailFast()) and
// Submit(s.Context(), …) the jobs that have not begun fail with [ErrCanceled] once ctx is done, or
// the first job has failed.
//
// Submit returns [ErrClosed] once the runtime is being shut down; a job may go on to submit during
// a Shutdown. It does not wait for futures in the job. One allocation. It panics if ctx is nil, or
// if key is no key: not equal to itself, as NaN, or of a type that cannot be compared.
func (k *Keyed[K, J]) Submit(ctx context.Context, key K, job J) error {
	mustContext(ctx)
	rt := k.checked().pool.rt
	c, own := ctx.(*Context)
	if !own || c == nil || c.rt != rt {
		if ctx.Err() != nil {
			return rt.errorOf(ctx)
		}
		c = rt.contextIn(ctx)
	}
	m := &keyedMessage[K, J]{of: k, key: key}
	m.job.arg = keyedJob[K, J]{m, job}
	m.job.result.promised.start(&k.forms.run.core, k.forms.kind.at(k.home, key).checked())
	m.end.become(k.forms.ended)
	return k.pool.submit(ctx, c, &m.job.result.promised, &m.end)
}

// submit sends the message of a job, with c, which is made of ctx. end waits for its outcome.
func (k *keyedPool) submit(ctx context.Context, c *Context, m *promised, end *message) error {
	rt, w := k.rt, c.here()
	places := keyedPlaces{total: &k.places, ofKey: m.unit.ext.Load().limit}
	full := k.full
	if c.sender.noWait {
		full = Reject
	}
	if err := places.take(w, full); err != nil {
		return err
	}
	if err := w.admits(c, m.unit, &m.message); err != nil {
		if err == errKept { // no operation waits, so it has all places
			k.open.Add(1)
			m.push(end)
			w.keepJob(k.run, m, places.ofKey)
			return nil
		}
		places.giveBack()
		return err
	}
	if !places.all() {
		from := &sender{ctx: rt.unlinked(ctx)}
		if err := places.await(&m.message, from); err != nil {
			places.giveBack()
			w.countFailed(rt, err, 1)
			w.env.drops(&m.message)
			canceled := m.canceled()
			m.leave(w)
			switch {
			case canceled != nil: // as without a wait
				return canceled
			case from.gaveUp:
				return rt.errorOf(ctx)
			}
			return err
		}
	}
	k.open.Add(1)
	m.push(end)
	k.run.launch(w, m, placedSender)
	return nil
}

// Wait waits until, at some instant of the call, no job is open. It returns nil if no job has
// failed up to now, and otherwise the error of the job that failed first, with its key. It keeps
// no others: they are counted and logged, as those of [Operation.Tell].
//
// Wait ends nothing: jobs may be submitted, and waited for, again. The error stays, so take a new
// Keyed for a new batch. If ctx is done before, Wait returns ctx's error. If the runtime has ended
// before, it returns the first error, or [ErrClosed]. Inside an operation or an activity it returns
// an [ErrWouldBlock] at once. It panics if ctx is nil.
func (k *Keyed[K, J]) Wait(ctx context.Context) error {
	mustContext(ctx)
	return k.checked().pool.wait(ctx)
}

func (k *keyedPool) wait(ctx context.Context) error {
	rt := k.rt
	if sched.Inside() {
		return refusalHere(errJobsInside, errActivityJobs)
	}
	none := conditionFunc(func() bool { return k.open.Open() == 0 })
	if waited, err := rt.env.driveUntil(ctx, none); waited {
		return k.outcome(err)
	}
	for {
		zero := k.open.NextZero(&rt.waiters)
		if zero == nil {
			return k.outcome(nil)
		}
		var err error
		select {
		case <-zero.Token():
			zero.Wake()
		case <-ctx.Done():
			err = rt.errorOf(ctx)
		case <-rt.finished:
			err = ErrClosed
		}
		zero.Leave()
		switch {
		case err == nil:
		case err == ErrClosed || none():
			return k.outcome(err)
		default:
			return err
		}
	}
}

// outcome returns the first failure, or err if there was none.
func (k *keyedPool) outcome(err error) error {
	switch first := k.failure.Load(); {
	case k.open.Open() == 0 && first == nil:
		return nil
	case first != nil:
		return first
	}
	return err
}

func (k *Keyed[K, J]) checked() *Keyed[K, J] {
	if k == nil || k.pool.rt == nil {
		panic("freerun: a nil or zero Keyed; make it with NewKeyed")
	}
	return k
}

// keyedMessage is the message of a job, and what waits for its outcome, in one piece.
type keyedMessage[K comparable, J any] struct {
	job sendMessage[keyedJob[K, J], struct{}] // must be first
	end message
	of  *Keyed[K, J]
	key K
}

// keyedJob is the argument of the message of a job. Futures in a job are not looked for: a job that
// waited for one would lose its place among those of its key.
type keyedJob[K comparable, J any] struct {
	in  *keyedMessage[K, J]
	job J
}

// keyedForms is what all Keyed of one type have in common: made once, as an operation is, and not
// for each batch of jobs.
type keyedForms[K comparable, J any] struct {
	kind  *Kind[K, struct{}]
	run   operation[keyedJob[K, J], struct{}]
	ended *vtable // of what waits for the outcome of a job
}

// allKeyedForms has the keyedForms of each type that was used: reflect.Type → *keyedForms.
var allKeyedForms sync.Map

func keyedFormsOf[K comparable, J any]() *keyedForms[K, J] {
	t := reflect.TypeFor[keyedForms[K, J]]()
	if f, ok := allKeyedForms.Load(t); ok {
		return f.(*keyedForms[K, J])
	}
	f := &keyedForms[K, J]{}
	f.assemble()
	first, _ := allKeyedForms.LoadOrStore(t, f)
	return first.(*keyedForms[K, J])
}

// assemble makes a kind that no runtime has by its number: each Keyed has a home of its own.
func (f *keyedForms[K, J]) assemble() {
	f.kind = &Kind[K, struct{}]{fresh: func(*Context, K) (struct{}, error) { return struct{}{}, nil }}
	f.kind.declared = &declaration{name: "freerun.Keyed", full: ownPath + ".Keyed", state: reflect.TypeFor[struct{}]().String()}
	f.kind.usual = kindSettings{key: reflect.TypeFor[K](), state: reflect.TypeFor[struct{}](), idle: keyedIdle}
	f.kind.assemble()

	f.run.invoke = func(c *Context, _ unsafe.Pointer, a keyedJob[K, J]) (struct{}, error) {
		k := a.in.of
		c.function.Store(codeOf(k.fn))
		return struct{}{}, k.fn(c, a.in.key, a.job)
	}
	complete(&f.run, "", func(m *message) uintptr {
		return codeOf((*keyedMessage[K, J])(unsafe.Pointer(m)).of.fn)
	})
	f.run.core.argPlan = nil
	f.ended = waiterVtable("job", func(w *worker, end *message) {
		m := (*keyedMessage[K, J])(unsafe.Add(unsafe.Pointer(end), -int(unsafe.Offsetof(keyedMessage[K, J]{}.end))))
		m.of.pool.done(w, &m.job.result.promised, func() any { return m.key })
	})
}

// done ends a job whose message has an outcome. The error is kept before the place is given back,
// and the place before Wait is told.
func (k *keyedPool) done(w *worker, m *promised, key func() any) {
	if _, err := m.Outcome(); err != nil && err != errWithdrawn {
		first := k.failure.Load() == nil && k.failure.CompareAndSwap(nil, &keyedError{key(), err})
		if _, canceled := err.(*canceledError); !first && !canceled && err != ErrClosed {
			w.lose(k.run.sent, &m.message, err)
		}
	}
	k.places.takeOut()
	k.open.Remove(1)
}

// keyedError is the failure of a job.
type keyedError struct {
	key any
	err error
}

func (e *keyedError) Error() string { return fmt.Sprintf("freerun: a job of key %v: %v", e.key, e.err) }

func (e *keyedError) Unwrap() error { return e.err }

// keyedFullError is the [ErrFull] of a Submit.
type keyedFullError struct {
	most  int64
	ofKey bool
}

func (e *keyedFullError) Error() string {
	if e.ofKey {
		return fmt.Sprintf("freerun: %d jobs of the key wait already, as many as a Keyed takes by KeyedLimits.PerKey", e.most)
	}
	return fmt.Sprintf("freerun: %d jobs are open, as many as a Keyed takes by KeyedLimits.Total", e.most)
}

// Is reports whether target is ErrFull.
func (*keyedFullError) Is(target error) bool { return target == ErrFull }

// errJobsInside is the error of Keyed.Wait inside an operation.
var errJobsInside = fmt.Errorf("freerun: an operation must not wait for the jobs of a Keyed (%w)", ErrWouldBlock)

const errActivityJobs refusal = "freerun: would block: Wait of a Keyed is for ordinary goroutines, not for activities"
