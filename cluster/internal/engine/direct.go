package engine

import "context"

// DirectKey is the key of a value of a context: what is sent with it goes to its unit beside the
// log, and has its effect at most once.
type DirectKey struct{}

// IsDirect reports whether what is sent with a context goes beside the log.
func IsDirect(c context.Context) bool { return c.Value(DirectKey{}) != nil }
