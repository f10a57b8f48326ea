package sched

import "github.com/freerun-go/freerun/internal/sys/goid"

// StandIn calls f on the calling goroutine in place of the coroutine's own, which Go has parked in
// the middle of its code. So f may do what the coroutine may: it may suspend it, and returns when
// the coroutine runs again.
func (co *Coroutine) StandIn(f func()) {
	own, me := co.id.Load(), registration{id: goid.ID(), number: co.me.number, co: co}
	register(&me)
	co.id.Store(me.id)
	co.standsIn = true
	co.becomeHome()
	f()
	co.id.Store(own)
	co.standsIn = false
	co.becomeHome()
	unregister(&me)
}

// InStandIn reports whether the calling goroutine stands in for a coroutine's.
func InStandIn() bool {
	co := CurrentCoroutine()
	return co != nil && co.standsIn
}
