package lock

import (
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// mcsSweep takes nodes that were left out of the queue while the lock is held. So the number of
// waiters bounds the length of the queue. It has their nodes and two kinds of nodes that were left:
// since the last sweep began, at most as many as that sweep saw waiters, or sweepEvery; and those
// that were left while a sweep was under way.
//
// There is one sweep at a time, and no goroutine waits for it: a waiter that leaves while a sweep
// is under way just goes. A sweep only makes the next of a node lead past nodes that were left and
// are not the last. Each next that it finds has been written, so no arrival and no other sweep
// writes it any more. The holder reads it, and either value leads to the same waiters. A sweep may
// find itself on nodes that are out of the queue already, as the lock was handed on: these lead
// back to the queue, and are not used again while underWay is set (see [MCS.enter]).
type mcsSweep struct {
	underWay atomics.Bool
	since    atomics.Int32 // how many waiters have left since the last sweep began
	seen     atomics.Int32 // how many waiters the last sweep saw
}

// sweepEvery is how many waiters leave before a sweep pays.
const sweepEvery = 32

// A waiter that has left its node calls left.
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
