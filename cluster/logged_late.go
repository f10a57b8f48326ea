package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// A message does not begin once the scope, or the Call, that has sent it is over. A machine that
// runs it does not know of that; but it has the deadline. What has run before it, and is run again,
// since nothing of it was stored, may be late then: nobody knows of the first time.

// errLate is the outcome of what was to begin too late.
var errLate = fmt.Errorf("%w: its deadline had passed when it was to begin: %w", freerun.ErrCanceled, context.DeadlineExceeded)

// errUnanswered is the outcome of a read whose deadline passes first. That may have run, and has no
// effect.
var errUnanswered = fmt.Errorf("%w: no answer had come when its deadline passed: %w", freerun.ErrCanceled, context.DeadlineExceeded)

// isPast reports whether a deadline has passed; the zero time is none.
func (n *Node) isPast(deadline time.Time) bool {
	return !deadline.IsZero() && !n.rt.Now().Before(deadline)
}

// orLate returns the error of what was sent to another machine, which says so if its deadline has
// passed meanwhile: so who has set that finds it with [errors.Is].
func (n *Node) orLate(deadline time.Time, err error) error {
	isOpen := errors.Is(err, ErrUncertain) || errors.Is(err, ErrNotRun)
	if !isOpen || !n.isPast(deadline) {
		return err
	}
	return fmt.Errorf("%w; its deadline has passed: %w", err, context.DeadlineExceeded)
}

// isLate refuses a run that may not begin any more, and reports whether it has. Of a request whose
// write may have been made that is not known then.
func (r *run) isLate() bool {
	until, why := time.Time{}, errLate
	switch {
	case r.refused != nil:
	case r.of != nil && r.of.logged != nil:
		until = r.of.logged.until
	case r.logged != nil && r.logged.asked != nil:
		if until = r.logged.asked.until; r.logged.asked.write != "" {
			why = engine.ErrUncertain
		}
	}
	if until.IsZero() || !r.cell.kind.node.rt.Now().After(until) {
		return false
	}
	r.refuse(why)
	return true
}
