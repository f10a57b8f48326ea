package freerun

// Settled is settled, for tests that must not allocate while they wait.
func (rt *Runtime) Settled() bool { return rt.settled() }
