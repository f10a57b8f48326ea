package activity

import (
	"context"
	"slices"

	"github.com/freerun-go/freerun/internal/activityhost"
	"github.com/freerun-go/freerun/internal/sched"
)

// eachTraced reports the activities of a scheduler that have begun, each with its stack: see
// [activityhost.Activities].
func eachTraced(s *sched.Scheduler, most int, f func(a *Activity, on *activityhost.Stack, waits bool, trace []byte)) (more int) {
	for _, co := range sched.Coroutines() {
		st, ok := co.Local.(*stack)
		if !ok || st.scheduler != s {
			continue
		}
		a := st.activity.Load()
		if a == nil || a.stack.Load() != st {
			continue
		}
		if most == 0 {
			more++
			continue
		}
		most--
		f(a, &st.seen, !st.waiter.Load().isOver(), co.Trace())
	}
	return more
}

// eachBegun reports the activities of a scheduler that have begun and not ended: see
// [activityhost.Activities]. It finds them by their stacks. So it misses none that is on its way
// from one queue, processor or goroutine to another.
func eachBegun(s *sched.Scheduler, f func(code uintptr, title *string)) {
	for _, co := range slices.Compact(sched.Coroutines()) { // a stand-in is of the same coroutine
		st, ok := co.Local.(*stack)
		if !ok || st.scheduler != s {
			continue
		}
		if code := st.begun.LoadAcquire(); code != 0 {
			f(code, st.activity.Load().named)
		}
	}
}

// wait is waitIn for the running activity, with any context.
func (a *Activity) wait(ctx context.Context, tag uint64, in waitPoint) error {
	if ctx == context.Context(a) {
		return a.waitHere(tag, in, nil)
	}
	m := manner{ctx: ctx}
	if _, m.isFirm = ctx.(firmContext); m.isFirm {
		m.ctx = nil
		return a.waitHere(tag, in, &m)
	}
	if err := a.mayWait(); err != nil {
		return err
	}
	if ctx.Done() == nil {
		return a.waitHere(tag, in, nil)
	}
	if ctx.Err() != nil {
		a.unwindIfClosing() // the end of the runtime ends contexts, too
		return context.Cause(ctx)
	}
	w := a.stack.Load().waiter.Load()
	w.activity = a
	word := w.upcoming()
	defer a.owner.AfterDone(ctx, func() { w.interrupt(word) })()
	return a.waitHere(tag, in, &m)
}

// manner is how a wait is special.
type manner struct {
	ctx    context.Context // whose end ends the wait; nil if there is none but the activity's
	isFirm bool
}

// waitHere is waitIn for the running activity. how is nil for a wait that ends only when it is
// granted, or the activity is canceled. A granted wait returns nil even while the runtime gives up
// what has not ended: what was granted, such as a lock, must be given back.
//
// A caller with how has asked mayWait before, unless the wait is firm. waitHere must not refuse it
// then: the end of the context may be about to interrupt the wait by its number, which would be
// that of the next wait on this stack.
//
// Its frame is part of what a waiting activity keeps, so it has what each wait needs, and calls
// other functions for the rest.
func (a *Activity) waitHere(tag uint64, in waitPoint, how *manner) error {
	if how == nil {
		if err := a.mayWait(); err != nil {
			return err
		}
	}
	st := a.stack.Load()
	w := st.waiter.Load()
	w.activity, w.Tag = a, tag
	st.point = in
	if how != nil {
		st.ctx, st.isFirm = how.ctx, how.isFirm
	}
	switch {
	case modelled:
		st.finalizer = finishWait
		modelTrade(st)
	case st.co.Locked():
		if !st.stayToWait(a) {
			return ErrThreadLocked
		}
	default:
		st.finalizer = finishWait
		if next, yield := st.giveWayToNext(a); yield != nil {
			yield(struct{}{})
		} else {
			next()
		}
		st.land()
		st.arrive(a)
	}
	if w.word.Load()&stateBits == granted {
		return nil
	}
	return a.gaveUp(w, how)
}

// gaveUp returns the error of a wait that was interrupted, or ends the activity.
func (a *Activity) gaveUp(w *Waiter, how *manner) error {
	w.activity = nil
	a.stack.Load().waiter.Store(&Waiter{}) // w may still be in a list
	if err := a.canceled(); err != nil {
		return err
	}
	return context.Cause(how.ctx)
}
