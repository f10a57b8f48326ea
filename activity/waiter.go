package activity

import (
	"context"

	"github.com/freerun-go/freerun/internal/atomics"
	"github.com/freerun-go/freerun/internal/park"
	"github.com/freerun-go/freerun/queue"
	"github.com/freerun-go/freerun/sched"
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
// two sees the other.
//
// A waiter that was granted is in no list any more, and is used for the next wait of its stack. One that was interrupted may be in a list still, where it is found
// ended, and dropped; the stack gets another. The number of the wait is in word, so that who interrupts an old wait cannot end a new one.
type Waiter struct {
	queue.Node // for the list that it waits in
	word       atomics.Uint64
	activity   *Activity    // nil for an ordinary goroutine
	parker     *park.Parker // of that
	// Tag is for the place that it waits in: what it wants there. Written before it waits.
	Tag uint64
}

// The states of a wait, in the lowest bits of word; above is the number of the wait.
const (
	idle uint64 = iota
	waiting
	granted
	interrupted

	stateBits = 3
	oneWait   = stateBits + 1
)

// Grant ends the wait, and wakes who waits. It reports whether it did: false if the wait was interrupted, so that another may have what was to be granted. The
// caller has taken the waiter out of where it was entered. Any goroutine; it does not wait.
func (w *Waiter) Grant() bool {
	if !w.finish(granted) {
		return false
	}
	w.wake()
	return true
}

// interrupt ends the wait that word is of, if it has not ended.
func (w *Waiter) interrupt(word uint64) {
	if w.finishThis(word, interrupted) {
		w.wake()
	}
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

// finish changes waiting to how; false if the wait has ended.
func (w *Waiter) finish(how uint64) bool { return w.finishThis(w.word.Load(), how) }

// finishThis is finish for the wait that word is of.
func (w *Waiter) finishThis(word, how uint64) bool {
	return word&stateBits == waiting && w.word.CompareAndSwap(word, word&^stateBits|how)
}

// Wait waits. enter is called once the caller can be woken: it puts the waiter where it will be found, and then looks whether it need wait at all; if not, it takes
// care that somebody grants it, or does so itself. It must not wait, and runs on the processor, not on the caller's stack. tag is the waiter's.
//
// Wait returns nil when the wait was granted; if ctx or the activity was canceled before, the error of that. The caller is recognised by its goroutine, whatever
// ctx is; inside an operation it returns [ErrWouldBlock]. It panics if ctx is nil.
func Wait(ctx context.Context, tag uint64, enter func(w *Waiter)) error {
	if ctx == nil {
		panic("activity: a nil context.Context; use context.Background() if there is none")
	}
	a, err := current()
	switch {
	case err != nil:
		return err
	case a != nil:
		return a.wait(ctx, tag, enter)
	}
	w := &Waiter{parker: park.New(), Tag: tag}
	w.open()
	enter(w)
	if err := w.parker.ParkContext(ctx); err != nil && w.finish(interrupted) {
		return err
	}
	return nil
}

// current returns the activity that the goroutine runs, nil if it is an ordinary one; the error if it runs an operation.
func current() (*Activity, error) {
	if co := sched.HereCoroutine(); co != nil {
		if st, ok := co.Local.(*stack); ok {
			return st.activity.Load(), nil
		}
	}
	if sched.Here() != nil {
		return nil, ErrWouldBlock
	}
	return nil, nil
}

// wait is Wait of the activity that runs.
func (a *Activity) wait(ctx context.Context, tag uint64, enter func(w *Waiter)) error {
	st := a.stack.Load()
	w := st.waiter.Load()
	if err := a.mayWait(); err != nil {
		return err
	}
	w.activity, w.Tag = a, tag
	if ctx == context.Context(a) || ctx.Done() == nil {
		ctx = nil
	} else {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		word := w.upcoming()
		defer context.AfterFunc(ctx, func() { w.interrupt(word) })()
	}
	st.enter, st.ctx = enter, ctx
	a.leave(finishWait)
	if w.word.Load()&stateBits == granted {
		return nil
	}
	st.waiter.Store(&Waiter{}) // w may be in a list still
	if err := a.owner.Canceled(); err != nil {
		return err
	}
	return context.Cause(ctx)
}

// mayWait returns the error of a wait that would be in vain, and sees to it that the activity's owner knows it as one to interrupt.
func (a *Activity) mayWait() error {
	a.unwindIfClosing()
	if !a.watched {
		a.watched = true
		a.owner.Watch(a)
	}
	return a.owner.Canceled()
}

// finishWait is the finalizer of a wait (W2 to W4).
func finishWait(_ *sched.Processor, a *Activity) {
	st := a.stack.Load()
	w, enter, ctx := st.waiter.Load(), st.enter, st.ctx
	st.enter, st.ctx = nil, nil
	word := w.open()
	if a.owner.Canceled() != nil || a.closing() || ctx != nil && ctx.Err() != nil {
		w.interrupt(word)
	} else {
		enter(w)
	}
}

// Interrupt ends the wait of the activity, if it waits: whoever cancels it calls it, after [Owner.Canceled] or [Owner.Closing] tells so. Any goroutine.
func (a *Activity) Interrupt() {
	if st := a.stack.Load(); st != nil {
		st.interrupt(a)
	}
}

// InterruptAll interrupts all activities of a scheduler, whose owners say that they are closing.
func InterruptAll(s *sched.Scheduler) {
	sched.Coroutines(func(co *sched.Coroutine) {
		if st, ok := co.Local.(*stack); ok && st.scheduler == s {
			st.interrupt(nil)
		}
	})
}

// interrupt ends the wait of the activity on the stack, if it is a, or a is nil. Word is read before the activity: when the stack has another one by now, it has
// that since before word was written, or word is not of an open wait any more.
func (st *stack) interrupt(a *Activity) {
	w := st.waiter.Load()
	word := w.word.Load()
	if a == nil || st.activity.Load() == a {
		w.interrupt(word)
	}
}
