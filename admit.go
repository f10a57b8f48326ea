package freerun

import (
	"sync"

	"github.com/freerun-go/freerun/internal/magazine"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/stripe"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// admits counts a message to u that is about to be sent through c from worker w, and gives it its
// lineage; or it returns why the message is refused. m is nil for an activity, which is counted
// like a message. With errKept the message is counted, and has its lineage, and is kept
// (route_keep.go).
func (w *worker) admits(c *Context, u *unit, m *message) error {
	if !w.accepts(u) {
		if err := w.refuses(u); err != nil {
			return u.refusing(err, m)
		}
	}
	var o *lineage
	if c.key != nil {
		var err error
		if o, err = c.enterScope(w); err != nil {
			return err
		}
	}
	// A worker without a processor counts in a stripe.
	if w.processor != nil {
		w.counters.sent.Add(1)
	} else if !w.rt.countSent(running) && (w.standing() != insider || !w.rt.countSent(drains)) {
		o.withdraw(w)
		return ErrClosed
	}
	if m == nil {
		return nil
	}
	if o != nil {
		m.lineage.Store(o)
		if w.isKept(m) {
			return errKept
		}
	}
	if w.observed.Load() != 0 {
		w.sending(u, m)
	}
	return nil
}

// ingress is where messages of ordinary goroutines enter the runtime. It counts them, and keeps
// messages for reuse, in stripes: so a sender touches no cache line that other senders write.
type ingress struct {
	stripes stripe.Stripes[magazine.Cache] // each with its own messages for reuse
	// timers has the timers of senders that wait for a batch. Each runtime has its own pool, as
	// timers must not leave a testing/synctest bubble.
	timers sync.Pool
	// The counts of rare events.
	ran, failed, abandoned, ended, lost, panics atomics.Uint64
	// sections counts the goroutines without a processor in a read section of messages to several
	// units: multi_reuse.go. A section of a stripe, below, is another thing.
	sections atomics.Int32
}

// countSent counts a message that is about to be sent without a processor. It returns false, and
// leaves the message uncounted, if the phase is beyond latest. The count comes before the message
// is queued: a goroutine that sees the count of the run also sees the count of the send.
//
// latest is one of the runtime's phases (runtime.go).
// It is running for an outsider (an ordinary goroutine: see standing).
// A shutdown sets the phase, and waits until all sections of stripes that had begun have ended.
// Then it has the counts of all outsiders that were admitted.
//
// It is drains for an insider (a task of this runtime). The drain needs no rendezvous with an
// insider: the message that the insider runs is not done, so the counts differ, and the drain
// compares them again (settled).
//
// Checked by: TestExploreStripes (internal/stripe), TestShutdownTakesWhatFollows
func (rt *Runtime) countSent(latest uint32) bool {
	return rt.ingress.stripes.Admit(&rt.phase, latest)
}

// refusing adds to err what was refused, as naming does: the operation of message m. m is nil for
// an activity.
func (u *unit) refusing(err error, m *message) error {
	return u.naming(err, func() string {
		if m == nil {
			return ""
		}
		return m.vtable().describe(m)
	})
}

// enterScope counts a message that is about to be sent through c in the scope of c, and returns its
// lineage. If the scope was canceled it returns the error instead: the message would not start. c
// must have a key. [lineage.withdraw] takes the count back.
func (c *Context) enterScope(w *worker) (*lineage, error) {
	k := c.key
	if k.scope != nil {
		if err := k.scope.refusal(); err != nil {
			return nil, err
		}
		w.credit.Take(&k.scope.account)
	}
	if w.processor == nil {
		return &k.root, nil
	}
	return w.sends(c), nil
}

// leave takes the message out of its scope, after its outcome is known. Only its holder may call
// it.
func (m *message) leave(w *worker) {
	if o := m.lineage.Load(); o != nil {
		m.lineage.Store(o.left()) // a future must not keep the scope from being collected
		o.withdraw(w)
	}
}

// withdraw takes back what enterScope counted. A nil lineage has nothing to take back.
func (o *lineage) withdraw(w *worker) {
	if a := o.keyOf().account(); a != nil {
		w.credit.Put(a)
	}
}

// ended takes a message that was started out of its scope's account of running messages. It comes
// after withdraw: so when no message of the scope runs, the open ones have not started.
func (o *lineage) ended(w *worker) {
	if a := o.keyOf().account(); a != nil {
		w.credit.End(a)
	}
}

// canceled returns the error of a message whose scope was canceled, otherwise nil.
func (m *message) canceled() error {
	if x := m.lineage.Load().keyOf().scopeOf(); x != nil {
		return x.refusal()
	}
	return nil
}

// refusal returns why a message must not start, after begin has found that it must not.
func (m *message) refusal() error {
	if m.unit.rt.phase.Load() < aborting {
		if err := m.canceled(); err != nil {
			return err
		}
	}
	return ErrClosed
}

// countCycle counts a message with vtable k that the caller has sealed with promise.Circular. The
// goroutine that wakes the message may look at it at the same time, so nothing else in it is
// changed.
func (w *worker) countCycle(m *promised, k *vtable) {
	w.countFailed(m.unit.rt, ErrCycle, 1)
	w.env.drops(&m.message)
	m.closedAsCycle(w, k)
}

func (m *promised) closedAsCycle(w *worker, k *vtable) {
	if m.lineage.Load() == nil {
		return
	}
	if x := m.blamed(); x != nil {
		name := k.name
		if name == "" {
			name = "a closure" // its argument tells which, and may be gone
		}
		x.fail(name, m.lineage.Load(), ErrCycle)
	}
	m.lineage.Load().withdraw(w)
}

// blame reports a refused message to c's scope, unless that has failed already.
func (c *Context) blame(k *vtable, m *message, err error) {
	x := c.Scope()
	if x == nil || x.failure.Load() != nil {
		return
	}
	o := &c.key.root
	if w := c.here(); w.processor != nil {
		o = w.sends(c)
	}
	x.fail(k.describe(m), o, err)
}

// standing says what the sending goroutine is to the runtime that takes the message.
//
// A worker without a processor does not show what it is. An operation, a branch of a join and an
// activity send from outside when they have left their processor ([Context.Block]), and when they
// send through a context that is not their own. Their standing does not change by that. Two rules
// depend on it:
//
//	                              outsider  visitor  insider
//	a sender may be kept waiting  yes       no       no       reuse.go, unit_limit.go
//	a drain takes what is sent    no        no       yes      worker.go, admit.go, reuse.go
//
// The receiver may wait for an operation, so an operation is not kept waiting.
//
// A drain takes what an insider sends, because that follows from what was accepted. The insider's
// own message is counted as sent, and is not counted as done before it has ended. So the drain does
// not end before the messages that it takes from insiders.
//
// A goroutine that an operation has started is an outsider.
type standing uint8

const (
	outsider standing = iota // an ordinary goroutine
	visitor                  // in a task of another runtime, or a coroutine that a task has made
	insider                  // in a task of this runtime
)

// standing returns the standing of the calling goroutine, which sends from w. Without a processor
// it costs a look into a map, so it is asked off the fast path only.
func (w *worker) standing() standing {
	if w.processor != nil {
		return insider
	}
	return w.rt.standing()
}

// standing returns the standing of the calling goroutine.
func (rt *Runtime) standing() standing {
	switch h := sched.CurrentHost(); {
	case h != nil && h.Scheduler() == rt.scheduler:
		return insider
	case sched.Inside():
		return visitor
	}
	return outsider
}
