package activity

import (
	"context"

	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/park"
	"github.com/freerun-go/freerun/queue"
)

// Waiter is one who waits: an activity, or an ordinary goroutine. All that waits in this package does it so, in one of two ways to sleep:
//
//	W1  the activity is left: its processor runs something else, on another stack     (a goroutine: nothing)
//	W2  the finalizer, on the processor that has left it, opens the wait
//	W3  if the activity was canceled meanwhile it interrupts the wait, and that is all
//	W4  otherwise it enters the waiter where it will be found, and looks once more whether it need wait at all
//	W5  when the wait has ended the activity is queued like any task                  (a goroutine: it is unparked)
//
// Whoever ends the wait, changes word from waiting to granted, or interrupted, by a compare-and-swap: so one decides how, and the activity is queued once. As
// the wait is opened after the activity was left, nobody can run it while its stack is still in use; as the condition is looked at again after the waiter has
// been entered, no wake-up is lost. (Task switch finalizers: section 3.2 of the fourth paper.)
//
// Interrupt, by whoever cancels, first makes that visible and then looks for an open wait; W2 opens the wait and then looks whether it is canceled: one of the
// two sees the other. From W2 on the activity may be interrupted, and run, on another processor while this one is at W4 still: what enters a waiter must not count
// on the activity to be asleep.
//
// A waiter that was granted is in no list any more, and is used for the next wait of its stack. One that was interrupted may be in a list still, where it is found
// ended, and dropped; the stack gets another, before anything of the activity runs, and the old one leads to the activity no more. The number of the wait is in
// word, so that who interrupts an old wait cannot end a new one.
//
// A firm wait is one that only a grant ends. A wait that gives something up, the lock of a [Cond] or the inside of a [Monitor], gets it back by a firm wait: also
// in an activity that is being ended, before its deferred functions run.
type Waiter struct {
	node     queue.Node // for the list that it waits in; first: see waiterOf
	word     atomics.Uint64
	activity *Activity    // nil for an ordinary goroutine
	parker   *park.Parker // of that
	// Tag is for the place that it waits in: what it wants there. Written before it waits.
	Tag uint64
	// parcel is what it brings to the place, or where it takes something, if that is more than a number. Written when it enters.
	pending any
}

// The states of a wait, in the lowest bits of word; above is the number of the wait.
const (
	idle uint64 = iota
	waiting
	firmly // waiting, and not to be interrupted
	granted
	interrupted

	stateBits = 7
	oneWait   = stateBits + 1
)

// Grant ends the wait, and wakes who waits. It reports whether it did: false if the wait was interrupted, so that another may have what was to be granted. The
// caller has taken the waiter out of where it was entered. Any goroutine; it does not wait.
func (w *Waiter) Grant() bool {
	if !w.claim() {
		return false
	}
	w.wake()
	return true
}

// claim is Grant, but for the waking, which the caller does later: so it can note before that what was granted.
func (w *Waiter) claim() bool { return w.finish(granted) }

// interrupt ends the wait that word is of, and reports whether it did: false if it had ended.
func (w *Waiter) interrupt(word uint64) bool {
	if word&stateBits == firmly || !w.finishThis(word, interrupted) {
		return false
	}
	w.wake()
	return true
}

func (w *Waiter) wake() {
	if a := w.activity; a != nil {
		a.ready()
	} else {
		w.parker.Unpark()
	}
}

// upcoming returns what word will be when the next wait is opened.
func (w *Waiter) upcoming() uint64 { return (w.word.Load()&^stateBits + oneWait) | waiting }

// open begins the next wait, and returns its word.
func (w *Waiter) open() uint64 {
	word := w.upcoming()
	w.word.Store(word)
	return word
}

// openFirmly begins the next wait as a firm one.
func (w *Waiter) openFirmly() { w.word.Store(w.upcoming()&^stateBits | firmly) }

// finish ends the wait; false if it has ended.
func (w *Waiter) finish(how uint64) bool { return w.finishThis(w.word.Load(), how) }

// finishThis is finish for the wait that word is of.
func (w *Waiter) finishThis(word, how uint64) bool {
	return isOpen(word) && w.word.CompareAndSwap(word, word&^stateBits|how)
}

// isOver reports whether the wait has ended.
func (w *Waiter) isOver() bool { return !isOpen(w.word.Load()) }

// isOpen reports whether word is of a wait that has not ended.
func isOpen(word uint64) bool { return word&stateBits == waiting || word&stateBits == firmly }

// Wait waits. enter is called once the caller can be woken: it puts the waiter where it will be found, and then looks whether it need wait at all; if not, it takes
// care that somebody grants it, or does so itself. It must not wait, and runs on the processor, not on the caller's stack. tag is the waiter's.
//
// Wait returns nil when the wait was granted; if ctx or the activity was canceled before, the error of that. The caller is recognised by its goroutine, whatever
// ctx is; inside an operation it returns [ErrWouldBlock]. It panics if ctx or enter is nil.
func Wait(ctx context.Context, tag uint64, enter func(w *Waiter)) error {
	mustEnter(enter)
	return waitIn(ctx, tag, enterFunc(enter))
}

// place is where one waits.
type waitPoint interface {
	// enter is what [Wait] says of its argument.
	enter(w *Waiter)
}

type enterFunc func(w *Waiter)

func (f enterFunc) enter(w *Waiter) { f(w) }

// waitIn is [Wait] in a place, for which nothing need be allocated.
func waitIn(ctx context.Context, tag uint64, in waitPoint) error {
	mustContext(ctx)
	a, err := current()
	switch {
	case err != nil:
		return err
	case a != nil:
		return a.wait(ctx, tag, in)
	}
	w := &Waiter{parker: park.New(), Tag: tag}
	w.open()
	in.enter(w)
	if err := w.parker.ParkContext(ctx); err != nil {
		if w.finish(interrupted) {
			return err
		}
		w.parker.Park() // it was claimed, and is about to be woken
	}
	return nil
}

func mustContext(ctx context.Context) {
	if ctx == nil {
		panic("activity: a nil context.Context; use context.Background() if there is none")
	}
}

// mustEnter panics here, where that can be recovered: enter is called by a processor.
func mustEnter(enter func(w *Waiter)) {
	if enter == nil {
		panic("activity: a wait with a nil function; it must enter the waiter where it is found")
	}
}

// insisting is the type of the context that makes a wait firm.
type firmContext struct{ context.Context }

// insist is the context of firm waits: neither a cancellation nor the end of the runtime ends them.
var firm context.Context = firmContext{context.Background()}

// current returns the activity that the goroutine runs, nil if it is an ordinary one; the error if
// what the goroutine runs must not wait: an operation, or an activity that is locked to its thread in
// a deterministic runtime. What gives something up for its wait asks before that.
func current() (*Activity, error) {
	if modelled {
		return modelCurrent(), nil
	}
	if co := sched.HereCoroutine(); co != nil {
		if st, ok := co.Local.(*stack); ok {
			if p := st.co.Processor(); p != nil && p.Driven() && st.co.Locked() {
				return st.activity.Load(), ErrThreadLocked
			}
			return st.activity.Load(), nil
		}
	}
	if !sched.Inside() {
		return nil, nil
	}
	if co, _ := sched.Around(); co != nil { // not direct: that was asked above
		return nil, errPulledWaits
	}
	return nil, errOperationWaits
}

// wait is waitIn of the activity that runs. A wait that was granted returns even if all is being given up: what was granted, a lock say, must be given back.
func (a *Activity) wait(ctx context.Context, tag uint64, in waitPoint) error {
	st := a.stack.Load()
	w := st.waiter.Load()
	_, insists := ctx.(firmContext)
	if !insists {
		if err := a.mayWait(); err != nil {
			return err
		}
	}
	w.activity, w.Tag = a, tag
	if insists || ctx == context.Context(a) || ctx.Done() == nil {
		ctx = nil
	} else {
		if ctx.Err() != nil {
			a.unwindIfClosing() // the end of all ends contexts, too
			return context.Cause(ctx)
		}
		word := w.upcoming()
		defer a.owner.AfterDone(ctx, func() { w.interrupt(word) })()
	}
	p := st.co.Processor()
	st.point, st.ctx, st.isFirm = in, ctx, insists
	if !modelled && st.co.Locked() {
		if p != nil && p.Driven() {
			st.point, st.ctx = nil, nil
			return ErrThreadLocked
		}
		st.stay(a, finishWait)
	} else {
		var next *sched.Task
		if p != nil {
			a.owner.Leave(a, &st.seen, p)
			next = p.Pick()
		}
		st.finalizer = finishWait
		if modelled {
			modelTrade(st)
		} else {
			st.co.Trade(st.way(p, next))
			st.land()
			st.arrive(a)
		}
	}
	if w.word.Load()&stateBits == granted {
		return nil
	}
	w.activity = nil
	st.waiter.Store(&Waiter{}) // w may be in a list still
	if err := a.canceled(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// canceled returns the error of what would wait after the activity was canceled. It ends the activity if all is being given up: that is looked at last, so that its
// error is never returned.
func (a *Activity) canceled() error {
	err := a.owner.Canceled()
	a.unwindIfClosing()
	return err
}

// mayWait returns the error of a wait that would be in vain, and sees to it that the activity's owner knows it as one to interrupt.
func (a *Activity) mayWait() error {
	a.unwindIfClosing()
	if !a.watched {
		a.watched = true
		a.owner.Watch(a)
	}
	return a.canceled()
}

// finishWait is the finalizer of a wait (W2 to W4). Once the wait is open somebody may interrupt it, and the activity go on, and end: so the stack is not looked at
// any more.
func finishWait(_ *sched.Processor, a *Activity) {
	st := a.stack.Load()
	w, in, ctx, insists, discarded := st.waiter.Load(), st.point, st.ctx, st.isFirm, st.discarded
	st.point, st.ctx = nil, nil
	if insists {
		w.openFirmly()
		in.enter(w)
		return
	}
	word := w.open()
	if a.owner.Canceled() != nil || discarded || a.owner.Closing() || ctx != nil && ctx.Err() != nil {
		w.interrupt(word)
	} else {
		in.enter(w)
	}
}

// interrupt ends the wait of the activity, and reports whether it waited: see [activityhost.Activities].
func (a *Activity) interrupt() bool {
	st := a.stack.Load()
	return st != nil && st.interrupt(a)
}

// interruptAll interrupts all activities of a scheduler: see [activityhost.Activities].
func interruptAll(s *sched.Scheduler) {
	for _, co := range sched.Coroutines() {
		if st, ok := co.Local.(*stack); ok && st.scheduler == s {
			st.interrupt(nil)
		}
	}
}

// interrupt ends the wait of the activity on the stack, if it is a, or a is nil. Word is read before the activity: when the stack has another one by now, it has
// that since before word was written, or word is not of an open wait any more.
func (st *stack) interrupt(a *Activity) bool {
	w := st.waiter.Load()
	word := w.word.Load()
	return (a == nil || st.activity.Load() == a) && w.interrupt(word)
}

// isUnwinding reports whether the caller is an activity that is being ended.
func isUnwinding() bool {
	a, _ := current()
	return a != nil && a.stack.Load().unwinding
}
