package engine

import (
	"context"
	"time"
)

// DirectKey is the key of a value of a context: what is sent with it goes to its unit beside the
// log, and has its effect at most once.
type DirectKey struct{}

// IsDirect reports whether what is sent with a context goes beside the log.
func IsDirect(c context.Context) bool { return c.Value(DirectKey{}) != nil }

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
