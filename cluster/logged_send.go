package cluster

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/cluster/internal/partition"
	"github.com/freerun-go/freerun/internal/route"
)

// What is sent to durable units that machines share, by whatever is no operation of a durable unit.

// send has a message go to its unit, on whichever machine that is. Decide calls it.
func (s *shared) send(m route.Message, op *route.Operation) error {
	if op.Form == route.Several {
		return s.sendSeveral(m, op)
	}
	if strings.HasPrefix(shorten(op.Name), "freerun.") { // Suspend, Retire
		return fmt.Errorf("%w: %s is for units of one process; a durable unit is forgotten with cluster.Forget", ErrNotDurable, op.Name)
	}
	k, err := s.node.kindNamed(m.Kind())
	if err != nil {
		return err
	}
	o, err := k.operationOf(op.Name)
	if op.Form == route.Read {
		o, err = k.readOf(op.Name)
	}
	if err != nil {
		return err
	}
	unit, err := k.recordKey(m.Key())
	if err != nil {
		return err
	}
	c := layout.Command{Operation: o.given}
	if c.Arg, err = o.arg.append(nil, m.Arg()); err != nil {
		return fmt.Errorf("cluster: the argument of %s: %w", shorten(op.Name), err)
	}
	if c.Once, err = identityOf(m); err != nil {
		return fmt.Errorf("cluster: Once: %w", err)
	}
	c.Deadline, c.Values = engine.DeadlineOf(m.Context()), s.node.carriedBy(m.Context(), m.Senders(), true)
	if !m.Told() || c.Once != "" {
		err = o.keepsResult()
	}
	if err == nil {
		err = mayHave("the argument of "+shorten(op.Name), len(c.Arg), s.room.Argument)
	}
	if err != nil {
		return err
	}
	until := s.node.rt.Now().Add(mostRequest)
	if !c.Deadline.IsZero() && c.Deadline.Before(until) {
		until = c.Deadline
	}
	switch {
	case op.Form == route.Read:
		s.read(m, o, string(unit), c, until)
	case isDirect(m.Context()):
		s.machine.Request(string(unit), c.Encode(), false, until.Sub(s.node.rt.Now()), func(value []byte, err error) {
			resolve(m, o, value, s.node.orLate(c.Deadline, err))
		})
	default:
		s.log(m, o, string(unit), c.Encode())
	}
	return nil
}

// read has a message read, on whichever machine has the unit. One that has it and ends is no reason
// to fail: a read may be asked for twice.
func (s *shared) read(m route.Message, o *operation, unit string, c layout.Command, until time.Time) {
	s.machine.Request(unit, c.Encode(), true, until.Sub(s.node.rt.Now()), func(value []byte, err error) {
		switch unknown := errors.Is(err, engine.ErrUncertain); {
		case unknown && s.node.rt.Now().Before(until) && !s.isEnding():
			s.node.after(leastPause, func() {
				if s.isEnding() {
					resolve(m, o, nil, err)
				} else {
					s.read(m, o, unit, c, until)
				}
			})
		case unknown && s.node.isPast(c.Deadline):
			resolve(m, o, nil, errUnanswered)
		default:
			resolve(m, o, value, s.node.orLate(c.Deadline, err))
		}
	})
}

// log has a message go through the log of its partition.
func (s *shared) log(m route.Message, o *operation, unit string, body []byte) {
	if m.Told() {
		s.machine.Send(unit, body, func(err error) { m.Resolve(nil, notAccepted(err)) }, nil)
		return
	}
	s.machine.Send(unit, body, func(error) {}, func(value []byte, err error) { resolve(m, o, value, err) })
}

// notAccepted is the error of a message that the log has not, or may not have.
func notAccepted(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, partition.ErrFull):
		return fullOf("the message", err)
	}
	return fmt.Errorf("cluster: the message may not have been stored: %w", err)
}

// fullOf is the error of what was not sent since too much waits for the log.
func fullOf(what string, err error) error {
	return fmt.Errorf("cluster: %s was not sent: %w: %w", what, freerun.ErrFull, err)
}

// resolve gives a message the outcome that has come.
func resolve(m route.Message, o *operation, value []byte, err error) {
	result := any(nil)
	switch {
	case err == nil:
		result, err = o.outcome(m, value)
	case errors.Is(err, partition.ErrFull):
		err = fullOf(shorten(o.name), err)
	default:
		err = fmt.Errorf("cluster: %s: %w", shorten(o.name), err)
	}
	m.Resolve(result, err)
}

// outcome reads an outcome.
func (o *operation) outcome(m route.Message, value []byte) (result any, err error) {
	r, err := layout.DecodeResult(value)
	switch {
	case err != nil:
		return nil, err
	case r.Cut && r.Refused:
		return nil, fmt.Errorf("cluster: %s: %w", shorten(o.name), errCutRefusal)
	case r.Cut:
		return nil, fmt.Errorf("cluster: %s: %w", shorten(o.name), errCut)
	}
	if len(r.Err) > 0 {
		returned, err := decodeError(r.Err)
		if err != nil {
			return nil, fmt.Errorf("cluster: the error of %s: %w", shorten(o.name), err)
		}
		return nil, returned
	}
	if m.Told() {
		return nil, nil
	}
	result = m.NewResult()
	return result, o.result.Decode(r.Value, result)
}

// encodeResult returns an outcome as it is sent: a result as package codec has it, or err.
func encodeResult(value []byte, err error) []byte {
	if err != nil {
		return layout.Result{Err: encodeError(err)}.Encode()
	}
	return layout.Result{Value: value}.Encode()
}

// identityOf returns the identity that a message comes with (Once).
func identityOf(m route.Message) (id string, err error) {
	given := m.Context().Value(onceKey{})
	if given == nil {
		return "", nil
	}
	id = given.(string)
	return id, checkIdentity(id)
}
