package sched

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/sys/prefetch"
)

// With many tasks that take turns, each finds its memory out of the caches again when its turn comes: some 30 lines for a coroutine, spread over stack, goroutine and task, and
// each is missed in the middle of something. But the ring says long before whose turn is next.

const (
	// crowded is from how many tasks in the ring on their memory is fetched ahead: fewer find theirs in the caches anyway.
	prefetchFrom = 128
	// How many turns ahead. Far enough for a line to come from memory, and near enough for it to stay.
	nearTurns, farTurns, firstTurns = 2, 4, 8
)

// fetchAhead asks for the memory of tasks that come some turns after index h. There are at least as many. Owner only.
func (r *ring) prefetchAhead(h uint32) {
	prefetch.ForWrite(unsafe.Pointer(r.slots.at(h + firstTurns).Load()))
	r.slots.at(h + farTurns).Load().prefetch(false)
	r.slots.at(h + nearTurns).Load().prefetch(true)
}

// ahead is for the hint alone, so it does not matter if the task was stolen, and is changed by who runs it.
//
//go:norace
func (t *Task) prefetch(near bool) {
	if f := t.Kind.Prefetch; f != nil {
		f(t, near)
	}
}

// FetchAhead asks for the memory that a switch to a suspended coroutine will need: for its own, and with near, which must come later, for that of its goroutine, as far as it is
// known where that is. It is a hint. Any goroutine.
//
//go:norace
func (co *Coroutine) Prefetch(near bool) {
	if !near {
		prefetch.RangeForWrite(uintptr(unsafe.Pointer(co)), 4)
		return
	}
	const below, lines = 5, 9 // of the stack, what is used from the frame of Trade on, and what is open above it
	prefetch.RangeForWrite(co.frame.Load()-below*prefetch.Line, lines)
	prefetch.RangeForWrite(co.id, 3) // Go's g, in most builds
}

// FetchSoon is FetchAhead for a switch that comes so soon that it is all asked for at once.
//
//go:norace
func (co *Coroutine) PrefetchNow() {
	co.Prefetch(false)
	co.Prefetch(true)
}
