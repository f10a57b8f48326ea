package sched

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/sys/prefetch"
)

// When many tasks take turns, the memory of each has left the caches when its turn comes: some 30
// lines for a coroutine, spread over stack, goroutine and task, each of which is missed in the
// middle of other work. The ring tells long before whose turn is next, so a full ring asks for
// that memory ahead of time.

const (
	// prefetchFrom is the length of the ring from which on memory is fetched ahead. In a shorter
	// ring the memory of the tasks is still in the caches.
	prefetchFrom = 128
	// How many turns ahead: far enough for a line to arrive from memory, near enough for it to
	// stay.
	nearTurns, farTurns, firstTurns = 2, 4, 8
)

// prefetchAhead asks for the memory of tasks that come some turns after index h. The ring must
// hold at least firstTurns more. Owner only.
func (r *ring) prefetchAhead(h uint32) {
	prefetch.ForWrite(unsafe.Pointer(r.slots.at(h + firstTurns).Load()))
	r.slots.at(h + farTurns).Load().prefetch(false)
	r.slots.at(h + nearTurns).Load().prefetch(true)
}

// prefetch is a hint only, so it may race with a thief that has the task and changes it.
//
//go:norace
func (t *Task) prefetch(near bool) {
	if f := t.Kind.Prefetch; f != nil {
		f(t, near)
	}
}

// Prefetch asks the CPU for the memory that a switch to a suspended coroutine needs: for the
// coroutine's own, and with near, which must come later, for that of its goroutine, where its
// address is known. It is a hint. Any goroutine.
//
//go:norace
func (co *Coroutine) Prefetch(near bool) {
	if !near {
		prefetch.RangeForWrite(uintptr(unsafe.Pointer(co)), 4)
		return
	}
	const below, lines = 5, 9 // of the stack: from Transfer's frame on, and above it
	prefetch.RangeForWrite(co.frame.Load()-below*prefetch.Line, lines)
	prefetch.RangeForWrite(co.id, 3) // Go's g, in most builds
}

// PrefetchNow asks for all of that memory at once, for a switch that comes very soon.
//
//go:norace
func (co *Coroutine) PrefetchNow() {
	co.Prefetch(false)
	co.Prefetch(true)
}
