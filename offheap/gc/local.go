package gc

import (
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// local is what one processor has of a heap. Whoever has entered it is alone with it: by being pinned, or, where pins do not exclude, by a claim.
// Somebody who stops there for good keeps it, and others use others.
type local struct {
	_ pad.Line

	index int
	page  *page // a page of slots; the others are in its ring
	at    uint  // the slot in it that is tried next

	claimed atomics.Uint32

	_ pad.Line
}

// local returns the local of a pinned processor, if pins exclude and there is one; otherwise nil, and enter is to be called instead. It is here to be inlined.
func (h *Heap) local(i int) *local {
	if all := *h.locals.Load(); pin.Exclusive && i < len(all) {
		return all[i]
	}
	return nil
}

// enter returns a local for the caller alone, who must not block until leave.
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

// enterSlowly is enter where the local with index i does not exist, or is not to be had.
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

// growLocals sees to it that there are at least so many locals and returns them. None ever goes away.
func (h *Heap) growLocals(atLeast int) []*local {
	return pin.Grow(&h.locals, atLeast, func(i int) *local { return &local{index: i, page: full} })
}
