//go:build freerun_debug

package rolecheck

import "sync/atomic"

// Checked tells whether this build checks contracts.
const Checked = true

// Sole is a side of a container on which one call at a time may be made. The zero value is a side with nobody on it. It must
// not be copied after first use.
//
// It uses sync/atomic and not the seam: an explorer is not to spend its steps on the check.
type Sole struct{ call atomic.Pointer[string] }

// Enter says that a call on this side begins, and names it: the package, a colon, the method and the type. It panics with the
// names of both if another one has not left. Any goroutine.
func (s *Sole) Enter(call string) {
	if !s.call.CompareAndSwap(nil, &call) {
		other := "another one" // it has left meanwhile
		if p := s.call.Load(); p != nil {
			other = *p
		}
		panic(call + " during a call of another goroutine (" + other + "): one goroutine at a time may be on that side")
	}
}

// Leave says that the call which entered last is over. The goroutine that entered.
func (s *Sole) Leave() { s.call.Store(nil) }
