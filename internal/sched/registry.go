package sched

import (
	"sync"
	"sync/atomic"

	"github.com/freerun-go/freerun/internal/sys/goid"
)

// guest is what a goroutine of this package is: a host, or a coroutine.
type registration struct {
	id     uintptr
	number uint64 // which its coroutines know it by, 0 if that is not known
	host   *Host
	co     *Coroutine
}

// guests are the hosts and coroutines of all schedulers in the process, by their goroutine. A goroutine asks about itself only; so what it
// has found stays true until it checks out, and may be kept where it is found faster.
var (
	registry      sync.Map // goid → *guest
	registryCache [1024]atomic.Pointer[registration]
)

func cacheOf(id uintptr) *atomic.Pointer[registration] {
	const fibonacci = 0x9e3779b97f4a7c15
	return &registryCache[uint64(id)*fibonacci>>54]
}

// checkIn notes what the running goroutine is.
func register(r *registration) {
	r.number = goid.Number()
	registry.Store(r.id, r)
	cacheOf(r.id).Store(r)
}

// checkOut must come before the goroutine ends: Go gives its identity to another.
func unregister(r *registration) {
	cacheOf(r.id).CompareAndSwap(r, nil)
	registry.Delete(r.id)
}

// hereGuest returns what the running goroutine is, nil if it is an ordinary one.
func registered() *registration {
	id := goid.ID()
	slot := cacheOf(id)
	if r := slot.Load(); r != nil && r.id == id {
		return r
	}
	v, ok := registry.Load(id)
	if !ok {
		return nil
	}
	r := v.(*registration)
	slot.Store(r)
	return r
}

// Here returns the host whose goroutine is running, nil on any other goroutine. So a goroutine can tell that it is inside a task,
// whether or not the task has a processor still.
func CurrentHost() *Host {
	r := registered()
	switch {
	case r == nil:
		return nil
	case r.co != nil:
		return r.co.host()
	}
	return r.host
}

// Inside reports whether the running goroutine is inside a task, so that the task does not go on while it waits: on a goroutine that [Here] knows, or in a
// coroutine of iter.Pull that was made on one, where package goid can tell. A coroutine counts as inside for as long as the goroutine that made it lives.
func Inside() bool { return CurrentHost() != nil || registeredCreator() != nil }

// maker returns the guest that has made the running goroutine, nil if none has.
func registeredCreator() (made *registration) {
	creator := goid.Creator()
	if creator == 0 {
		return nil
	}
	registry.Range(func(_, r any) bool {
		if r := r.(*registration); r.number == creator {
			made = r
		}
		return made == nil
	})
	return made
}

// Around returns the [Coroutine] that the running goroutine is inside of, as [Inside] tells; nil if
// it is inside of none. direct is false in a coroutine of iter.Pull, which is not the Coroutine's
// own goroutine.
func EnclosingCoroutine() (co *Coroutine, direct bool) {
	if r := registered(); r != nil {
		return r.co, true
	}
	if r := registeredCreator(); r != nil {
		return r.co, false
	}
	return nil, false
}

// Current returns the processor whose goroutine is running, nil on any other goroutine, and in a task that has left its processor.
func CurrentProcessor() *Processor {
	if h := CurrentHost(); h != nil {
		return h.processor
	}
	return nil
}

// HereCoroutine returns the coroutine that is running, nil on any other goroutine.
func CurrentCoroutine() *Coroutine {
	if r := registered(); r != nil {
		return r.co
	}
	return nil
}
