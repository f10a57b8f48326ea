package sched

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/sys/prefetch"
)

// When many tasks take turns, the memory of a task has left the caches when its turn comes. A
// coroutine then has some 30 cache misses, spread over its stack, goroutine and task. The ring
// shows the order of the turns long before, so a full ring asks for that memory ahead of time. So
// does a ring with stolen tasks, however short: their memory is in the caches of another core.

const (
	// prefetchFrom is the least length of the ring at which memory is fetched ahead. In a shorter
	// ring the memory of the tasks is still in the caches.
	prefetchFrom = 128
	// nearTurns, farTurns and firstTurns are distances in turns: far enough for a line to arrive
	// from memory, near enough for it to stay in the cache.
	nearTurns, farTurns, firstTurns = 2, 4, 8
)

// prefetchAhead asks for the memory of tasks that come some turns after index h. The ring must
// hold at least firstTurns more. Owner only.
func (r *ring) prefetchAhead(h uint32) {
	prefetch.ForWrite(unsafe.Pointer(r.slots.at(h + firstTurns).Load()))
	r.slots.at(h + farTurns).Load().prefetch(false)
	r.slots.at(h + nearTurns).Load().prefetch(true)
}

// prefetchFirst asks for the memory of the first of n tasks that were stolen, from index h on. The
// thief runs them next. Owner only.
func (r *ring) prefetchFirst(h, n uint32) {
	for i := range min(n, firstTurns) {
		prefetch.ForWrite(unsafe.Pointer(r.slots.at(h + i).Load()))
	}
	for i := range min(n, farTurns) {
		r.slots.at(h + i).Load().prefetch(false)
	}
	for i := range min(n, nearTurns) {
		r.slots.at(h + i).Load().prefetch(true)
	}
}

// prefetchLoot is prefetchAhead in a ring of stolen tasks, which holds n from index h on. Owner
// only.
func (r *ring) prefetchLoot(h, n uint32) {
	if n > firstTurns {
		prefetch.ForWrite(unsafe.Pointer(r.slots.at(h + firstTurns).Load()))
	}
	if n > farTurns {
		r.slots.at(h + farTurns).Load().prefetch(false)
	}
	if n > nearTurns {
		r.slots.at(h + nearTurns).Load().prefetch(true)
	}
}

// prefetch is a hint only, so it may race with a thief that has the task and changes it.
//
//go:norace
func (t *Task) prefetch(near bool) {
	if f := t.Kind.Prefetch; f != nil {
		f(t, near)
	}
}

// Prefetch asks the CPU for the memory that a switch to a suspended coroutine needs. Without near
// it asks for the Coroutine itself, that is, for its two lines that each switch needs; with near,
// in a later call, for the memory of its goroutine, whose addresses it reads there. It is a hint.
// Any goroutine.
//
//go:norace
func (co *Coroutine) Prefetch(near bool) {
	if !near {
		prefetch.RangeForWrite(uintptr(unsafe.Pointer(co)), 2)
		return
	}
	const below, lines = 5, 9 // of the stack, around Transfer's frame
	prefetch.RangeForWrite(co.frame.Load()-below*prefetch.Line, lines)
	g := co.id.Load() // Go's g, in most builds; a switch needs its first lines, and a later one
	prefetch.RangeForWrite(g, 4)
	prefetch.RangeForWrite(g+6*prefetch.Line, 1)
}

// PrefetchNow asks for all of that memory at once, for a switch that comes very soon.
//
//go:norace
func (co *Coroutine) PrefetchNow() {
	co.Prefetch(false)
	co.Prefetch(true)
}
