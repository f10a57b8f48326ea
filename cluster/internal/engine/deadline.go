package engine

import (
	"context"
	"time"
)

// UntilKey is the key of a value of a context: the deadline of what is sent with it, a time.Time.
// It is for simulations, in which contexts have no deadlines of their own.
type UntilKey struct{}

// DeadlineOf returns the deadline of what is sent with a context; zero without one.
func DeadlineOf(c context.Context) time.Time {
	if at, there := c.Value(UntilKey{}).(time.Time); there {
		return at
	}
	at, _ := c.Deadline()
	return at
}
