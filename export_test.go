package freerun

// Settled is settled, for tests that must not allocate while they wait.
func (rt *Runtime) Settled() bool { return rt.settled() }

// OpenIn returns how many messages of a scope, and scopes below, are open.
func OpenIn(s *Scope) int64 { return s.tally.open.Load() }
