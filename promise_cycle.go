package freerun

// A result that comes to wait for itself would stay open for ever, and so would all that waits for
// it. That can happen only when a future escaped from the task that it belongs to, say into a
// unit's state, and came back as, or in, a result. Theorem 1 of the first paper excludes that by
// assumption; freerun looks.
//
// Each message waits for one future at a time, and its edge says for which. So the edges form a set
// of paths, and a cycle is closed by the edge that is added last. A goroutine that adds an edge
// m → dep
//
//	C1  stores it in m.edge,
//	C2  puts m into dep's list, a compare-and-swap,
//	C3  follows the edges from dep on, and has found a cycle if it comes back to m.
//
// Invariants: I1 Of two goroutines that close a cycle together, each with one edge, at least one
//             sees the other's edge: C1 comes before C2, and C2 before C3.
//             I2 An edge that C3 reads may be old only if the future that it leads to is closed,
//             and the walk ends at a closed future.
//             I3 So all edges of the cycle that a walk has found held when it read the last one.
//             They hold for good: only the seal can wake a message of the cycle.
// Cost:       none for a send: a message that was only just made cannot be waited for yet, so its
//             first edge needs no C3.

// closesCycle reports whether the edge from m to dep, which was just added, closes a cycle.
func (m *promised) closesCycle(dep *promised) bool {
	// A cycle elsewhere, which another goroutine finds at this moment, must not keep the walk going
	// round: the walk runs into mark (R. P. Brent, An improved Monte Carlo factorization algorithm,
	// 1980).
	mark, hops, limit := (*promised)(nil), 0, 16
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

// waiting says what an await has come to.
type waiting uint8

const (
	resolved waiting = iota // dep is closed already: the caller goes on
	waits                   // m belongs to the goroutine that wakes it, or has woken it
	circular                // m would have waited for itself, and was sealed
	revoked                 // m was revoked: message_start.go
)

// await makes m wait for dep. unshared: no other goroutine knows m's future yet.
func (m *promised) await(w *worker, dep *promised, unshared bool) waiting {
	if !m.revocable() { // lead's first case, without a call: most messages
		m.edge.Store(dep) // C1
	} else if !m.lead(dep, unshared) { // C1
		return revoked
	}
	return m.follow(w, dep, unshared)
}

// follow is await for a message whose edge leads to dep already.
func (m *promised) follow(w *worker, dep *promised, unshared bool) waiting {
	if dep.foreign(&m.message) {
		dep.doneChannel()
	}
	if !dep.push(&m.message) { // C2
		return resolved
	}
	if !unshared && m.closesCycle(dep) && m.seal(w, &cycled) { // C3
		return circular
	}
	return waits
}
