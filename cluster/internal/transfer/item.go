//go:build !wasm

package transfer

import (
	"fmt"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// Item is one thing that a program keeps: one of the four. Its bytes are the item's own.
type Item struct {
	Unit    *Unit
	Outcome *Outcome
	Failure *Failure
	Sent    *Sent
}

// Unit is a durable unit, which has a state.
type Unit struct {
	Kind, Key string
	Record    []byte // a layout.Record
	timers    []layout.Timer
}

// Outcome is the outcome of an operation with an identity.
type Outcome struct {
	Kind, Key, ID string
	layout.Outcome
}

// Failure is a message that has failed for good.
type Failure struct {
	layout.Tell
	Why []byte
}

// Sent is a message to a unit that has had no effect.
type Sent struct {
	layout.Tell
	Once     string    // its identity; empty without one
	Deadline time.Time // until when it may begin; zero for always
	// Outside: it was sent by no unit, but by a process. Awaited: that has waited for its outcome.
	Outside, Awaited bool
}

// String names the item.
func (i Item) String() string {
	switch {
	case i.Unit != nil:
		return fmt.Sprintf("unit %q of kind %s", i.Unit.Key, i.Unit.Kind)
	case i.Outcome != nil:
		return fmt.Sprintf("the outcome of %q on unit %q of kind %s", i.Outcome.ID, i.Outcome.Key, i.Outcome.Kind)
	case i.Failure != nil:
		return fmt.Sprintf("the recorded failure of %s on unit %q of kind %s", i.Failure.Operation, i.Failure.Key, i.Failure.Kind)
	}
	return fmt.Sprintf("the message %s to unit %q of kind %s", i.Sent.Operation, i.Sent.Key, i.Sent.Kind)
}

// unitOf makes a unit of what is stored.
func unitOf(kind, key string, record []byte) (*Unit, error) {
	r, err := layout.DecodeRecord(record)
	if err != nil {
		return nil, lost(fmt.Sprintf("the record of unit %q of kind %s", key, kind), err)
	}
	return &Unit{kind, key, record, r.Timers}, nil
}

// wake returns when the unit is to be woken: when its first timer is due; zero without one.
func (u *Unit) wake() (at time.Time) {
	for i := range u.timers {
		if due := u.timers[i].Due; at.IsZero() || due.Before(at) {
			at = due
		}
	}
	return at
}

// name returns the key of the record of a unit, which is the name of the unit.
func name(kind, key string) []byte { return []byte(layout.Records(kind) + key) }
