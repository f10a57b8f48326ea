package sched

import (
	"sync"
	"sync/atomic"

	"github.com/freerun-go/freerun/internal/sys/goid"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// registration says whether a goroutine is a host, is a coroutine, or, with neither, runs the f of
// [RunInside].
type registration struct {
	id     uintptr
	number uint64 // by which its iter.Pull coroutines know it; 0 if unknown
	host   *Host
	co     *Coroutine
}

// isInside reports whether the goroutine runs the f of RunInside.
func (r *registration) isInside() bool { return r.host == nil && r.co == nil }

// running returns the host that the goroutine is, or that its coroutine runs on; nil for none.
func (r *registration) running() *Host {
	if r.co != nil {
		return r.co.host()
	}
	return r.host
}

// registry holds the registrations of all schedulers in the process, by their goroutine. A
// goroutine looks up itself only, so an entry that it finds holds until it unregisters, and may
// also be kept in registryCache, where it is found faster.
var (
	registry      sync.Map // goid → *registration
	registryCache [1024]atomic.Pointer[registration]
)

// cacheOf returns the entry of registryCache for an identity (Fibonacci hashing).
func cacheOf(id uintptr) *atomic.Pointer[registration] {
	const fibonacci = 0x9e3779b97f4a7c15
	return &registryCache[uint64(id)*fibonacci>>54]
}

// registerMe puts the running goroutine into the registry.
func registerMe(r *registration) {
	r.number = goid.Number()
	register(r)
}

// register puts a goroutine into the registry, which is the running one or has not begun.
func register(r *registration) {
	registry.Store(r.id, r)
	cacheOf(r.id).Store(r)
}

// unregister must be called before the goroutine ends, because Go reuses its identity.
func unregister(r *registration) {
	cacheOf(r.id).CompareAndSwap(r, nil)
	registry.Delete(r.id)
}

// registered returns the registration of the running goroutine, nil for any other goroutine.
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

// CurrentHost returns the host whose goroutine is running, nil on any other goroutine. So code can
// tell that it is inside a task, whether or not the task still has a processor.
func CurrentHost() *Host {
	if r := registered(); r != nil {
		return r.running()
	}
	return nil
}

// RunInside runs f as a part of a task whose goroutine waits for the calling one: [Inside] is true
// in f.
func RunInside(f func()) {
	r := &registration{id: goid.ID()}
	registerMe(r)
	defer unregister(r)
	f()
}

// Inside reports whether the running goroutine is inside a task, so that the task cannot go on
// while the goroutine waits. It is inside on a goroutine for which [CurrentHost] is not nil, in
// [RunInside], and in a coroutine of iter.Pull that was made on one of these, where package goid
// can tell. Such a coroutine counts as inside for as long as the goroutine that made it lives.
func Inside() bool {
	if r := registered(); r != nil && (r.isInside() || r.running() != nil) {
		return true
	}
	return registeredCreator() != nil
}

// registeredCreator returns the registration of the goroutine that made the running one, nil if it
// has none.
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

// EnclosingCoroutine returns the [Coroutine] that the running goroutine is inside of, as [Inside]
// tells; nil if there is none. direct is false in a coroutine of iter.Pull, which is not the
// Coroutine's own goroutine.
func EnclosingCoroutine() (co *Coroutine, direct bool) {
	if r := registered(); r != nil {
		return r.co, true
	}
	if r := registeredCreator(); r != nil {
		return r.co, false
	}
	return nil, false
}

// hints has for each of Go's Ps the processor that was current there last. A processor stays on a
// P for long, while its tasks change the goroutine at each switch. So the processor and the word
// that confirms it are in the cache, where a registration for each goroutine is not, once there are
// many.
var hints [64]struct {
	p atomic.Pointer[Processor]
	_ pad.Line
}

// hinted returns the processor whose home is the running goroutine; nil if there is none, or if no
// hint leads to it. hint is the place for a better one.
func hinted() (p *Processor, hint *atomic.Pointer[Processor]) {
	hint = &hints[uint(pin.Pin())%uint(len(hints))].p
	pin.Unpin() // another goroutine may use the same hint
	if p = hint.Load(); p != nil && p.isHome() {
		return p, hint
	}
	return nil, hint
}

// dropHints makes the hints forget the processors of a scheduler, so that these can be collected.
// The host that ends last calls it last: only goroutines that have a processor leave hints.
func (s *Scheduler) dropHints() {
	for i := range hints {
		if p := hints[i].p.Load(); p != nil && p.scheduler == s {
			hints[i].p.CompareAndSwap(p, nil)
		}
	}
}

// CurrentProcessor returns the processor whose goroutine is running; nil on any other goroutine,
// and in a task that has left its processor.
func CurrentProcessor() *Processor {
	p, hint := hinted()
	if p != nil {
		return p
	}
	if h := CurrentHost(); h != nil && h.processor != nil {
		hint.Store(h.processor)
		return h.processor
	}
	return nil
}

// CurrentCoroutine returns the coroutine that is running, nil on any other goroutine.
func CurrentCoroutine() *Coroutine {
	if p, _ := hinted(); p != nil {
		return p.host.Load().base.running.Load()
	}
	if r := registered(); r != nil {
		return r.co
	}
	return nil
}
