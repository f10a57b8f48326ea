//go:build freerun_debug

package rolecheck

import "sync/atomic"

// Checked reports whether this build checks the roles of callers.
const Checked = true

// Sole is a side of a container that allows one call at a time. The zero value is a side without a
// call. It must not be copied after first use.
//
// It uses sync/atomic and not internal/sync/atomics, so that the explorer spends no steps on the
// check.
type Sole struct{ call atomic.Pointer[string] }

// Enter begins a call on this side and names it: the package, a colon, the method and the type. It
// panics with the names of both calls if another one has not left. Any goroutine may call it.
func (s *Sole) Enter(call string) {
	if !s.call.CompareAndSwap(nil, &call) {
		other := "another one" // it has left meanwhile
		if p := s.call.Load(); p != nil {
			other = *p
		}
		panic(call + " during a call of another goroutine (" + other + "): one goroutine at a time may be on that side")
	}
}

// Leave ends the call that has entered. The goroutine that entered calls it.
func (s *Sole) Leave() { s.call.Store(nil) }
