package lock

import (
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// mcsSweep takes nodes that were left out of the line while the lock is held, so that its length is bounded by the number of those
// who wait: the nodes in the line are those of waiters, at most as many that were left as the last sweep saw waiters, or
// sweepEvery, and what came while a sweep was under way.
//
// One sweep at a time, and nobody waits for it: who leaves while one is under way goes. A sweep only makes the next of a
// node lead past nodes that were left and are not the last. Each next that it finds has been written, so no arrival writes it any
// more, and no other sweep does; the holder reads it, and either value leads it to the same waiters. A sweep may find
// itself on nodes that are out of the line already, as the lock was handed on: these lead back to the line, and are not
// used again while underWay is set (see [MCS.enter]).
type mcsSweep struct {
	underWay atomics.Bool
	since    atomics.Int32 // how many have left since the last sweep began
	seen     atomics.Int32 // how many waited when it ended
}

// sweepEvery is how many have to leave before a sweep pays.
const sweepEvery = 32

// left is called by who has left its node.
func (s *mcsSweep) left(l *MCS) {
	if s.since.Add(1) < max(sweepEvery, s.seen.Load()) || !s.underWay.CompareAndSwap(false, true) {
		return
	}
	s.since.Store(0)
	var seen int32
	for p := l.holder.next.Load(); p != nil; {
		n := p.next.Load()
		if n == nil {
			break
		}
		if next := n.next.Load(); next != nil && n.slot.word.Load() == left {
			p.next.Store(next)
			continue
		}
		seen++
		p = n
	}
	s.seen.Store(seen)
	s.underWay.Store(false)
}
