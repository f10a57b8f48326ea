package sched

import (
	"sync"
	"sync/atomic"

	"github.com/freerun-go/freerun/internal/sys/goid"
)

// guest is what a goroutine of this package is: a host, or a coroutine.
type guest struct {
	id     uintptr
	number uint64 // which its coroutines know it by, 0 if that is not known
	host   *Host
	co     *Coroutine
}

// guests are the hosts and coroutines of all schedulers in the process, by their goroutine. A goroutine asks about itself only; so what it
// has found stays true until it checks out, and may be kept where it is found faster.
var (
	guests sync.Map // goid → *guest
	recent [1024]atomic.Pointer[guest]
)

func recentOf(id uintptr) *atomic.Pointer[guest] {
	const fibonacci = 0x9e3779b97f4a7c15
	return &recent[uint64(id)*fibonacci>>54]
}

// checkIn notes what the running goroutine is.
func checkIn(g *guest) {
	g.number = goid.Number()
	guests.Store(g.id, g)
	recentOf(g.id).Store(g)
}

// checkOut must come before the goroutine ends: Go gives its identity to another.
func checkOut(g *guest) {
	recentOf(g.id).CompareAndSwap(g, nil)
	guests.Delete(g.id)
}

// hereGuest returns what the running goroutine is, nil if it is an ordinary one.
func hereGuest() *guest {
	id := goid.ID()
	slot := recentOf(id)
	if g := slot.Load(); g != nil && g.id == id {
		return g
	}
	v, ok := guests.Load(id)
	if !ok {
		return nil
	}
	g := v.(*guest)
	slot.Store(g)
	return g
}

// Here returns the host whose goroutine is running, nil on any other goroutine. So a goroutine can tell that it is inside a task,
// whether or not the task has a processor still.
func Here() *Host {
	g := hereGuest()
	switch {
	case g == nil:
		return nil
	case g.co != nil:
		return g.co.host()
	}
	return g.host
}

// Inside reports whether the running goroutine is inside a task, so that the task does not go on while it waits: on a goroutine that [Here] knows, or in a
// coroutine of iter.Pull that was made on one, where package goid can tell. A coroutine counts as inside for as long as the goroutine that made it lives.
func Inside() bool { return Here() != nil || maker() != nil }

// maker returns the guest that has made the running goroutine, nil if none has.
func maker() (made *guest) {
	creator := goid.Creator()
	if creator == 0 {
		return nil
	}
	guests.Range(func(_, g any) bool {
		if g := g.(*guest); g.number == creator {
			made = g
		}
		return made == nil
	})
	return made
}

// Around returns the [Coroutine] that the running goroutine is inside of, as [Inside] tells; nil if
// it is inside of none. direct is false in a coroutine of iter.Pull, which is not the Coroutine's
// own goroutine.
func Around() (co *Coroutine, direct bool) {
	if g := hereGuest(); g != nil {
		return g.co, true
	}
	if g := maker(); g != nil {
		return g.co, false
	}
	return nil, false
}

// Current returns the processor whose goroutine is running, nil on any other goroutine, and in a task that has left its processor.
func Current() *Processor {
	if h := Here(); h != nil {
		return h.processor
	}
	return nil
}

// HereCoroutine returns the coroutine that is running, nil on any other goroutine.
func HereCoroutine() *Coroutine {
	if g := hereGuest(); g != nil {
		return g.co
	}
	return nil
}
