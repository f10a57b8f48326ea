package freerun

import (
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// tally counts what is open in a scope: messages that were sent and have no outcome, and tallies below it that are not zero.
//
// One word for each message, there and back, would be two atomic additions a message, on a line that all processors fight for. So
// a processor takes stock: many at a time, which it hands out and takes back with plain additions, as long as it runs that scope's
// operations; it gives back what it has left when it turns to another scope, or has nothing to do. (Weights that are handed out and
// must come back: F. Mattern, Global quiescence detection based on credit distribution and recovery, 1989.)
//
// Invariants: I1 open = messages without an outcome + what lies in stocks + tallies below that are not zero. I2 a seat has a stock of the
// scope of its active context only, and none when it rests. So once nothing of a scope is open, open becomes zero without
// anybody's doing: each seat that has some either rests soon, or begins an operation of that scope, which is open, or of another.
//
// Who waits and who ends must not miss each other:
//
//	W1  the waiter joins the crowd in zero (crowd.go),   E1  who ends the last one makes open zero,
//	W2  and looks whether open is zero.                  E2  and takes the crowd out of zero, and wakes it.
//
// Both sides write first and then read what the other writes, so one of them sees the other. A crowd may be woken for a zero that
// was before W1: the waiter looks again.
//
// A tally that leaves zero adds one to the one above, before the message that it counts is queued; so while something is open below, whoever
// waits above does not return. On the way back the one above may be late: it is too high for a moment, never too low.
//
// Progress: all is wait-free but for W1, which is lock-free.
// Checked by: TestExploreTally…, TestScope…
type tally struct {
	open  atomics.Int64
	zero  atomics.Pointer[crowd]
	above *tally
}

// add counts n more, which are not queued yet.
func (t *tally) add(n int64) {
	for ; t != nil && t.open.Add(n) == n; n = 1 {
		t = t.above
	}
}

// remove takes n back.
func (t *tally) remove(n int64) {
	for ; t != nil && t.open.Add(-n) == 0; n = 1 { // E1
		if t.zero.Load() != nil { // E2
			t.wake()
		}
		t = t.above
	}
}

// wake wakes those who wait, who look again.
func (t *tally) wake() {
	if k := t.zero.Swap(nil); k != nil {
		k.wake()
		k.leave()
	}
}

// nextZero returns a crowd that is woken when the tally becomes zero next, and that the caller must leave, or nil if it is zero.
func (t *tally) nextZero(pool *crowdPool) *crowd {
	for t.open.Load() != 0 {
		k := t.join(pool) // W1
		if k == nil {
			continue
		}
		if t.open.Load() == 0 { // W2
			k.leave()
			return nil
		}
		return k
	}
	return nil
}

// accounts are the two tallies of a scope: of messages without an outcome, and of those among them that were started. Wait of a scope
// that was canceled waits for the second one only: what was not started is revoked, or never started (start.go).
type accounts struct{ open, running tally }

// stock is what a seat has of one scope's accounts. Its processor's own. While it has some of open it has some of running, and gives that back last: so
// once nothing runs, what is open is what was not started.
type stock struct {
	of      *accounts
	n       int64 // of open
	running int64
}

// stockSize is how many a seat takes at a time. It gives back what exceeds twice as much.
const stockSize = 64

// take counts one message of a.
func (s *stock) take(a *accounts) {
	switch {
	case s.of != a:
		a.open.add(1)
	case s.n == 0:
		if s.running == 0 {
			s.running = stockSize
			a.running.add(stockSize)
		}
		a.open.add(stockSize)
		s.n = stockSize - 1
	default:
		s.n--
	}
}

// put takes one message of a back.
func (s *stock) put(a *accounts) {
	if s.of != a || s.running == 0 {
		a.open.remove(1)
		return
	}
	if s.n++; s.n >= 2*stockSize {
		s.n -= stockSize
		a.open.remove(stockSize)
	}
}

// begin counts one message of a as running.
func (s *stock) begin(a *accounts) {
	switch {
	case s.of != a:
		a.running.add(1)
	case s.running <= 1: // one stays
		a.running.add(stockSize)
		s.running += stockSize - 1
	default:
		s.running--
	}
}

// end takes one that ran back, after put.
func (s *stock) end(a *accounts) {
	if s.of != a {
		a.running.remove(1)
		return
	}
	if s.running++; s.running >= 2*stockSize {
		s.running -= stockSize
		a.running.remove(stockSize)
	}
}

// turn gives back what is left, and keeps stock of a from now on; nil for none.
func (s *stock) turn(a *accounts) {
	if s.of == a {
		return
	}
	s.settle()
	s.of = a
}

// settle gives back what is left.
func (s *stock) settle() {
	if n := s.n; n > 0 {
		s.n = 0
		s.of.open.remove(n)
	}
	if n := s.running; n > 0 {
		s.running = 0
		s.of.running.remove(n)
	}
}
