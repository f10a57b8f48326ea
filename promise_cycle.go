package freerun

// A result that comes to wait for itself would stay open for ever, and all who wait for it. That can happen only when a
// future escaped from the task that it belongs to, say into a unit's state, and came back as, or in, a result: theorem 1
// of the first paper excludes it by assumption, freerun by looking.
//
// Each message waits for one future at a time, and says in edge for which: so what waits for what is a set of paths, and a
// cycle is closed by the edge that is added last. Whoever adds an edge m → dep
//
//	C1  stores it in m.edge,
//	C2  puts m into dep's list, a compare-and-swap,
//	C3  follows the edges from dep on, and has found a cycle if it comes back to m.
//
// Of two that close a cycle together, each adding one edge, at least one sees the other's: C1 comes before C2 and C2
// before C3. An edge read in C3 may be old, but only if the future that it leads to is closed; the walk ends at a
// closed future. So all edges of the cycle that a walk found held when it read the last, and they hold for good: nobody
// in the cycle can be woken but by the seal. A message that was only just made cannot be waited for yet, so
// its first edge needs no C3: a send costs nothing for all this.

// closesCycle reports whether the edge from m to dep, which was just added, closes a cycle.
func (m *promise) closesCycle(dep *promise) bool {
	// A cycle elsewhere, found by another at this moment, must not keep the walk going round: mark runs into it (R. P.
	// Brent, An improved Monte Carlo factorization algorithm, 1980).
	mark, hops, limit := (*promise)(nil), 0, 16
	for x := dep; x != nil && x.open(); x = x.edge.LoadAcquire() {
		if x == m {
			return true
		}
		if x == mark {
			return false
		}
		if hops++; hops == limit {
			mark, limit = x, 2*limit
		}
	}
	return false
}

// waiting is what came of an await.
type waiting uint8

const (
	resolved waiting = iota // dep is closed already: the caller goes on
	waits                   // m will be woken, or was woken, and belongs to whoever wakes it
	circular                // m would have waited for itself, and was sealed
	revoked                 // m was revoked: see message_start.go
)

// await makes m wait for dep. fresh says that nobody else knows m's future yet.
func (m *promise) await(s *worker, dep *promise, fresh bool) waiting {
	if !m.revocable() { // the first case of lead, without a call: most messages
		m.edge.Store(dep) // C1
	} else if !m.lead(dep, fresh) { // C1
		return revoked
	}
	return m.follow(s, dep, fresh)
}

// follow is await for a message whose edge leads to dep already.
func (m *promise) follow(s *worker, dep *promise, fresh bool) waiting {
	if dep.foreign(&m.message) {
		dep.done()
	}
	if !dep.push(&m.message) { // C2
		return resolved
	}
	if !fresh && m.closesCycle(dep) && m.seal(s, &cycled) { // C3
		return circular
	}
	return waits
}
