//go:build gc && linux && amd64 && !race && !freerun_portable && !go1.27

package coroswitch

import (
	"iter"
	"sync"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sys/goid"
)

// Written says whether this package was written for this build.
const Written = true

// Switch switches in one iter.Pull. The zero Switch is of none. It must not be copied.
type Switch struct {
	// The two are as a function value has them: swap finds the second one by the first.
	code uintptr
	coro unsafe.Pointer // the iter.Pull's coro: a word with the g that is parked in it, and more
}

//lint:ignore U1000 switch_amd64.s has it
func swap()

//lint:ignore U1000 switch_amd64.s has it
func bottom()

//lint:ignore U1000 switch_amd64.s has it
func resume()

func addressOfSwap() uintptr

// isKnown says whether the runtime's code is known; learnt once.
var (
	learnt  sync.Once
	isKnown bool
	//lint:ignore U1000 switch_amd64.s reads it
	code runtimeCode
)

// learn learns it from a goroutine that iter.Pull has parked.
func learn() {
	var parked uintptr
	next, stop := iter.Pull(func(yield func(struct{}) bool) {
		parked = goid.ID()
		yield(struct{}{})
	})
	next()
	code, isKnown = find(*(*uintptr)(pointerTo(parked + gPC)))
	stop()
}

// Of makes s switch in the iter.Pull of next, in which a goroutine is parked that has called yield:
// that with this identity ([goid.ID]), which is the address of its g. It reports false, and s stays
// zero, if the switch of this program is not known. Any goroutine may call it, for a Switch of its
// own.
func (s *Switch) Of(next func() (struct{}, bool), parked uintptr) bool {
	if learnt.Do(learn); !isKnown {
		return false
	}
	// next is a closure of iter.Pull: its code, its variables, and its coro.
	coro := (*(**[3]unsafe.Pointer)(unsafe.Pointer(&next)))[2]
	if *(*uintptr)(coro) != parked {
		return false
	}
	s.code, s.coro = addressOfSwap(), coro
	return true
}

// Next returns a function that switches as next of the iter.Pull does; it returns true. Both
// functions may be called by any goroutine, in place of whichever of next and yield is due. What
// iter.Pull tells by the results of next, that its function has ended, these do not tell.
func (s *Switch) Next() func() (struct{}, bool) {
	p := unsafe.Pointer(s)
	return *(*func() (struct{}, bool))(unsafe.Pointer(&p))
}

// Yield is Next with the type of yield.
func (s *Switch) Yield() func(struct{}) bool {
	p := unsafe.Pointer(s)
	return *(*func(struct{}) bool)(unsafe.Pointer(&p))
}

// Status reports whether switches are those of this package, and why or why not. It is for reports
// and tests. Any goroutine.
func Status() (used bool, why string) {
	if learnt.Do(learn); isKnown {
		return true, "the machine code of Go's switch is that which is known"
	}
	return false, "the machine code of Go's switch is not that which is known"
}
