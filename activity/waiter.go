package activity

import (
	"context"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sync/park"
)

// Waiter is an activity or an ordinary goroutine that waits. Every wait of this package has these
// steps:
//
//	W1  the activity is left: its processor runs something else, on another stack
//	W2  the finalizer, on the processor that has left the activity, opens the wait
//	W3  if the activity was canceled meanwhile, the finalizer interrupts the wait and is done
//	W4  otherwise it enters the waiter at its wait point, and then checks the condition again
//	W5  when the wait has ended, the activity is queued like any task
//
// An ordinary goroutine has no W1; it enters itself, and is unparked at W5.
//
// A wait ends by a compare-and-swap of word from waiting to granted or interrupted. So exactly one
// goroutine decides how it ends, and queues the activity once.
//
// The wait is opened after the activity was left: no processor can run the activity while its
// stack is still in use. The condition is checked again after the waiter was entered: no wake-up
// is lost. (Task switch finalizers: F. Negele, F. Friedrich, S. Oh, B. Egger, JSSPP 2015, section
// 3.2.)
//
// A cancellation is made visible first and then looks for an open wait. W2 opens the wait and then
// looks for a cancellation. So one of the two sees the other.
//
// From W2 on, another processor may interrupt and run the activity while this one is still at W4:
// enter must not rely on the activity being asleep.
//
// A granted waiter is in no list, and its stack uses it for its next wait. An interrupted waiter
// may still be in a list, where it is found to be over and is dropped. Its stack gets a new waiter
// before the activity runs on, and the old one does not lead to the activity any more. word
// contains the number of the wait: an interrupt that is late for one wait cannot end the next one.
//
// A firm wait is a wait that only a grant ends. A wait that gives up the lock of a [Cond], or the
// inside of a [Monitor], takes it again by a firm wait. An activity that is being ended does so
// before its deferred functions run.
type Waiter struct {
	node     mailbox.Node // for the list of its wait point; first: see waiterOf
	word     atomics.Uint64
	activity *Activity    // nil for an ordinary goroutine
	parker   *park.Parker // nil for an activity
	// Tag tells the wait point what the waiter wants. It is written before the wait.
	Tag uint64
	// pending is the value that the waiter brings or takes, if it is more than a number. It is
	// written when the waiter enters.
	pending any
}

// The states of a wait, in the lowest bits of word. The bits above are the number of the wait.
const (
	idle uint64 = iota
	waiting
	firmly // waiting, and not to be interrupted
	granted
	interrupted

	stateBits = 7
	oneWait   = stateBits + 1
)

// Grant ends the wait and wakes the waiter. It reports whether it did: false if the wait was
// interrupted, so that another waiter may have what was to be granted. The caller has taken w out
// of the list that it was entered in. Any goroutine may call it; it does not wait.
func (w *Waiter) Grant() bool {
	if !w.claim() {
		return false
	}
	w.wake()
	return true
}

// claim is Grant without the wake-up, which the caller does later. In between the caller records
// what it has granted.
func (w *Waiter) claim() bool { return w.finish(granted) }

// interrupt ends the wait that word belongs to. It reports false if that wait has ended.
func (w *Waiter) interrupt(word uint64) bool {
	if word&stateBits == firmly || !w.finishThis(word, interrupted) {
		return false
	}
	w.wake()
	return true
}

func (w *Waiter) wake() { w.wakeTo(sched.Woken) }

// wakeTo is wake for an activity that is to be queued in a certain way. If it wakes an ordinary
// goroutine, the processor on which that happens yields to it soon.
func (w *Waiter) wakeTo(way sched.Way) {
	if a := w.activity; a != nil {
		a.ready(way)
		return
	}
	w.parker.Unpark()
	sched.NoteWoken()
}

// upcoming returns the word of the next wait.
func (w *Waiter) upcoming() uint64 { return (w.word.Load()&^stateBits + oneWait) | waiting }

// open begins the next wait and returns its word.
func (w *Waiter) open() uint64 {
	word := w.upcoming()
	w.word.Store(word)
	return word
}

// openFirmly begins the next wait as a firm wait.
func (w *Waiter) openFirmly() { w.word.Store(w.upcoming()&^stateBits | firmly) }

// finish ends the present wait. It reports false if that has ended.
func (w *Waiter) finish(how uint64) bool { return w.finishThis(w.word.Load(), how) }

// finishThis ends the wait that word belongs to. It reports false if that wait has ended.
func (w *Waiter) finishThis(word, how uint64) bool {
	return isOpen(word) && w.word.CompareAndSwap(word, word&^stateBits|how)
}

// isOver reports whether the wait has ended.
func (w *Waiter) isOver() bool { return !isOpen(w.word.Load()) }

// isOpen reports whether word belongs to a wait that has not ended.
func isOpen(word uint64) bool { return word&stateBits == waiting || word&stateBits == firmly }

// Wait waits until the waiter is granted. It is for building other ways to wait. Wait calls enter
// once the caller can be woken. enter puts the waiter where it will be found and then checks
// whether the wait is still needed; if not, it calls [Waiter.Grant], or has another goroutine call
// it. enter must not wait; it runs on the processor, not on the caller's stack. tag is the
// waiter's Tag.
//
// Wait returns nil when the wait was granted, and the error of the cancellation if ctx or the
// activity was canceled before. It recognises an activity by its goroutine, whatever ctx is.
// Inside an operation the error is [ErrWouldBlock]. Wait panics if ctx or enter is nil.
func Wait(ctx context.Context, tag uint64, enter func(w *Waiter)) error {
	mustEnter(enter)
	return waitIn(ctx, tag, enterFunc(enter))
}

// waitPoint is where a waiter is entered.
type waitPoint interface {
	// enter has the contract of the argument of [Wait].
	enter(w *Waiter)
}

type enterFunc func(w *Waiter)

func (f enterFunc) enter(w *Waiter) { f(w) }

// waitIn is [Wait] at a wait point. It allocates nothing for an activity. The two lists of waiters
// have its body written out: each call that is open around a switch costs some nanoseconds.
func waitIn(ctx context.Context, tag uint64, in waitPoint) error {
	if a := callerIn(ctx); a != nil {
		return a.waitHere(tag, in, nil)
	}
	return waitElsewhere(ctx, tag, in)
}

// callerIn returns the running activity if that is ctx, as it is in most waits; nil otherwise.
func callerIn(ctx context.Context) *Activity {
	if a, is := ctx.(*Activity); is && !modelled && a.Here() {
		return a
	}
	return nil
}

// waitElsewhere is waitIn for a caller that is not the activity ctx.
func waitElsewhere(ctx context.Context, tag uint64, in waitPoint) error {
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

// mustEnter panics on the caller's stack, where the panic can be recovered. A processor calls
// enter.
func mustEnter(enter func(w *Waiter)) {
	if enter == nil {
		panic("activity: a wait with a nil function; it must enter the waiter where it is found")
	}
}

// firmContext is the type of the context that makes a wait firm.
type firmContext struct{ context.Context }

// firm is the context of firm waits: neither a cancellation nor the end of the runtime ends them.
var firm context.Context = firmContext{context.Background()}

// current returns the activity that the goroutine runs; nil if it is an ordinary goroutine. It
// returns an error if the caller must not wait: an operation, a coroutine of iter.Pull, or an
// activity that is locked to its thread in a deterministic runtime. A wait that gives something up
// calls current before it does.
func current() (*Activity, error) {
	if modelled {
		return modelCurrent(), nil
	}
	if st := currentStack(); st != nil {
		if p := st.co.Processor(); p != nil && p.Driven() && st.co.Locked() {
			return st.activity.Load(), ErrThreadLocked
		}
		return st.activity.Load(), nil
	}
	if !sched.Inside() {
		return nil, nil
	}
	if co, _ := sched.EnclosingCoroutine(); co != nil { // pulled: the activity was found above
		return nil, errPulledWaits
	}
	return nil, errOperationWaits
}

// canceled returns the error of a wait that begins after the activity was canceled. If the runtime
// gives up what has not ended, it ends the activity instead. It checks that last, so that the
// runtime's own error is never returned.
func (a *Activity) canceled() error {
	err := a.owner.Canceled()
	a.unwindIfClosing()
	return err
}

// mayWait returns the error of a wait that would be in vain. It makes the owner interrupt the
// activity when its scope is canceled. An owner that is closing says so by Canceled too, so one
// call of the owner tells that nothing has ended.
func (a *Activity) mayWait() error {
	if !a.watched {
		a.unwindIfClosing()
		a.watched = true
		a.owner.Watch(a)
	}
	err := a.owner.Canceled()
	if err != nil || a.stack.Load().discarded {
		a.unwindIfClosing()
	}
	return err
}

// finishWait is the finalizer of a wait (W2 to W4). Once the wait is open it may be interrupted,
// and the activity may run on and end. So finishWait does not read the stack after that.
func finishWait(_ *sched.Processor, a *Activity) {
	st := a.stack.Load()
	w, in, ctx, isFirm, discarded := st.waiter.Load(), st.point, st.ctx, st.isFirm, st.discarded
	st.point, st.ctx, st.isFirm = nil, nil, false
	if isFirm {
		w.openFirmly()
		in.enter(w)
		return
	}
	word := w.open()
	if a.owner.Canceled() != nil || discarded || ctx != nil && ctx.Err() != nil {
		w.interrupt(word)
	} else {
		in.enter(w)
	}
}

// interrupt ends the wait of the activity, and reports whether it waited: see
// [activityhost.Activities].
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
	s.TryAll()
}

// interrupt ends the wait of the activity on the stack if that is a, or if a is nil. It reads word
// before the activity. So if the stack has changed its activity meanwhile, word does not belong to
// an open wait any more.
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
