package promise

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// waiter is a message with a cell and a value that the explorer watches. It counts how often it was
// woken.
type waiter struct {
	mailbox.Node
	Cell
	value atomics.Plain[int]
	woken int
	then  func(w *waiter) // when it is woken
}

func waiters(n int) []*waiter {
	all := make([]*waiter, n)
	for i := range all {
		all[i] = new(waiter)
	}
	return all
}

// wake wakes the waiters of a list, the newest first.
func wake(newest *mailbox.Node) {
	for n := newest; n != nil; {
		w, next := (*waiter)(unsafe.Pointer(n)), n.Next()
		w.woken++
		if w.then != nil {
			w.then(w)
		}
		n = next
	}
}

// seal seals the cell as package freerun does, and wakes those that waited.
func (w *waiter) seal(with *mailbox.Node) bool {
	waited, won := w.Seal(with)
	wake(waited)
	return won
}

// fill fills the cell with its value, as package freerun does.
func (w *waiter) fill() bool {
	w.Clear()
	return w.TryFill() || w.seal(&Filled)
}

// fillFailed fills the cell with an error.
func (w *waiter) fillFailed(err error) bool {
	w.Fail(NewFailure(err))
	return w.seal(&Filled)
}

// await makes w, which is not revocable, wait for dep.
func (w *waiter) await(dep *waiter, unshared bool) Waiting {
	w.SetEdge(&dep.Cell)
	return w.follow(dep, unshared)
}

// awaitRevocable makes w, which is revocable, wait for dep.
func (w *waiter) awaitRevocable(dep *waiter, unshared bool) Waiting {
	if !w.Lead(&dep.Cell, unshared) {
		return Revoked
	}
	return w.follow(dep, unshared)
}

func (w *waiter) follow(dep *waiter, unshared bool) Waiting {
	to := w.Follow(&dep.Cell, &w.Node, unshared)
	if to == InCycle && !w.seal(&Circular) {
		return Waits
	}
	return to
}

// revoke revokes w with an error, and reports whether it did.
func (w *waiter) revoke(err error, drop func()) bool {
	revoked, drops := w.Revoke(NewFailure(err), drop != nil)
	if drops {
		drop()
	}
	return revoked && w.seal(&Filled)
}
