package cluster

import (
	"fmt"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// TellAfter has the unit of the running operation be told op, with arg, after d: a durable timer.
// It is set if and only if the running operation has its effect, and tells its unit once, after any
// crash: at once if its time has passed while no process ran. Each unit has its own timers, by
// their names: one that is set anew takes the place of the one with that name, also if that is due
// and has not told yet. Timers go on when the unit is passive, and make it active; a Stop leaves
// them.
//
//	cluster.TellAfter(c, 30*time.Minute, "expire", expire, struct{}{})
//
// A timer tells at the time of [freerun.Runtime.Now], never before it; the state of the unit may
// have changed meanwhile. Those of one unit that are late, because no process ran, or because the
// unit was busy, tell in the order of their times. What a timer tells is as any Tell within the
// unit: tried three times if it panics, and then a recorded failure ([Node.Failures]).
//
// Call it in an operation of a durable unit, on its goroutine; otherwise it returns [ErrOutside].
// It does not wait. It returns [ErrNotDurable] if op is not for states of the unit, or arg cannot
// be stored; an error that is returned by the operation undoes nothing, so a timer that was set
// stays set. A d that is not positive is due at once.
//
// Timers are stored in the record of their unit, and each write of the unit writes all of them:
// keep few for a unit. A unit with timers takes some 400 bytes of memory, also when it is passive.
// To set a timer that is due before all others of the unit writes one entry more.
func TellAfter[S, A, R any](c *freerun.Context, d time.Duration, name string, op *freerun.Operation[S, A, R], arg A) error {
	return setTimer(c, d, 0, name, freerun.NameOf(op), &arg)
}

// Every has the unit of the running operation be told op, with arg, each d, the first time after d,
// until [Cancel], or until another timer takes its place: a durable timer that repeats, as
// [TellAfter] has them. Times that pass while no process runs, or while the unit cannot be told,
// are left out: it tells once then, and goes on at the next time of the same rhythm. Every panics
// if d is not positive.
func Every[S, A, R any](c *freerun.Context, d time.Duration, name string, op *freerun.Operation[S, A, R], arg A) error {
	if d <= 0 {
		panic(fmt.Sprintf("cluster: Every %v; it needs a positive time", d))
	}
	return setTimer(c, d, d, name, freerun.NameOf(op), &arg)
}

// Cancel takes the timer of that name from the unit of the running operation, if and only if that
// operation has its effect. It reports whether there was one: a timer that has told is gone, and
// what it has told may be still to come. Call it as [TellAfter]; it does not wait.
func Cancel(c *freerun.Context, name string) (bool, error) {
	r, err := runIn(c)
	if err != nil {
		return false, fmt.Errorf("cluster: Cancel of timer %q: %w", name, err)
	}
	return r.cell.cancel(name), nil
}

// mostName is how long the name of a timer may be, in bytes.
const mostName = 512

func setTimer(c *freerun.Context, d, every time.Duration, name, op string, arg any) error {
	refused := func(err error) error { return fmt.Errorf("cluster: timer %q: %w", name, err) }
	r, err := runIn(c)
	if err != nil {
		return refused(err)
	}
	if len(name) > mostName {
		return fmt.Errorf("cluster: timer %.40q… has a name of %d bytes; it may have %d", name, len(name), mostName)
	}
	k := r.cell.kind
	o, err := k.operationOf(op)
	if err != nil {
		return refused(err)
	}
	b, err := o.arg.append(nil, arg)
	if err != nil {
		return refused(fmt.Errorf("%w: %w", ErrNotDurable, err))
	}
	if err := k.node.mayTell("the argument", b); err != nil {
		return refused(err)
	}
	now := k.node.rt.Now()
	r.cell.set(timer{Name: name, Due: dueAfter(now, d), Every: every, Operation: o.given, Arg: b})
	return nil
}

// dueAfter returns the time d after now, or the last one that can be stored.
func dueAfter(now time.Time, d time.Duration) time.Time {
	if at := now.Add(max(d, 0)); at.Before(layout.Latest) {
		return at.UTC()
	}
	return layout.Latest
}

// runIn returns the operation of a durable unit that runs with c, and may change the state.
func runIn(c *freerun.Context) (*run, error) {
	if h := seam.Running(c); h != nil {
		if r, _ := h.Get().(*run); r != nil && !r.reads && r.several == nil {
			return r, nil
		}
	}
	return nil, ErrOutside
}
