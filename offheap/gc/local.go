package gc

import (
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// local is the part of a heap that belongs to one processor. A goroutine that has entered it has it
// for itself: by its pin, or, where pins do not exclude, by a claim. If it stops there for good it
// keeps the local, and others use other locals.
type local struct {
	_ pad.Line

	index int
	page  *page // a page of slots; its ring has the others
	at    uint  // the index of the slot that is tried next

	claimed atomics.Uint32

	_ pad.Line
}

// local returns the local of a pinned processor if pins exclude and it exists; otherwise nil, and
// the caller calls enter instead. The three callers repeat these lines because a function that also
// calls enter is not inlined.
func (h *Heap) local(i int) *local {
	if all := *h.locals.Load(); pin.Exclusive && i < len(all) {
		return all[i]
	}
	return nil
}

// enter pins the caller and returns a local for the caller alone, which must not block until leave.
// The steps are those of hazard.Domain.Enter, on locals instead of records.
func (h *Heap) enter() *local {
	i := pin.Pin()
	if all := h.locals.Load(); all != nil && i < len(*all) {
		if l := (*all)[i]; pin.Exclusive || l.claim() {
			return l
		}
	}
	pin.Unpin()
	return h.enterSlowly(i)
}

// enterSlowly is enter if the local with index i does not exist, or is claimed.
func (h *Heap) enterSlowly(i int) *local {
	for {
		all := h.growLocals(i + 1)
		if pin.Exclusive {
			if i = pin.Pin(); i < len(all) {
				return all[i]
			}
			pin.Unpin()
			continue
		}
		for k := range all {
			if l := all[(i+k)%len(all)]; l.claim() {
				return l
			}
		}
		i = len(all)
	}
}

func (h *Heap) leave(l *local) {
	if !pin.Exclusive {
		l.claimed.Store(0)
	}
	pin.Unpin()
}

func (l *local) claim() bool {
	return l.claimed.Load() == 0 && l.claimed.CompareAndSwap(0, 1)
}

// growLocals makes locals until there are atLeast, and returns all. A local is never released.
func (h *Heap) growLocals(atLeast int) []*local {
	return pin.Grow(&h.locals, atLeast, func(i int) *local { return &local{index: i, page: full} })
}
