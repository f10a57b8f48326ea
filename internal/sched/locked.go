package sched

import (
	"runtime"

	"github.com/freerun-go/freerun/internal/sys/threadlock"
)

// A task that calls runtime.LockOSThread and returns without UnlockOSThread leaves its goroutine locked to its thread. Go ends the program when such a goroutine
// is switched as a coroutine, and gives its thread, in which the task may have changed anything, to nobody else. So:
//
//	a host                       is left: its processor goes to another one, and its goroutine ends, and with that its thread
//	a coroutine                  is unlocked, as it could not be left otherwise; the host that goes on in its thread locks itself to that, and is left
//	a deterministic scheduler    unlocks the goroutine, as its hosts are coroutines, and goes on in the thread
//
// [Config.Locked] is told of each. In the middle of a task a locked goroutine must not be switched either: [Coroutine.Locked] tells. It leaves its processor
// ([Processor.Leave]), and sleeps until one comes back ([Host.AwaitProcessor]).
//
// Checked by: TestLocked…

// leaveLocked is called by a host when a task has ended with its goroutine locked. It reports whether the host is left.
func (h *Host) leaveLocked() bool {
	h.tellLocked()
	h.reported = false
	if h.driven != nil {
		threadlock.Release()
		return false
	}
	if h.processor != nil {
		h.processor.running.Store(nil)
	}
	h.endAway()
	h.leaving = true
	return true
}

// tellLocked tells of the task that runs, or has just ended, once.
func (h *Host) tellLocked() {
	if tell := h.scheduler.config.Locked; tell != nil && !h.reported {
		h.reported = true
		tell(h)
	}
}

// Locked reports whether the host's goroutine is locked to its thread. On that goroutine only. It costs next to nothing, and is false, whatever is the case,
// where it would cost more than that: then the host finds out when the task has ended.
func (h *Host) Locked() bool { return h.lock.HeldForSure() }

// NoteReported notes that the goroutine is locked, and that this was reported: [Config.Locked] is not told again when the task has ended. On that goroutine only.
func (h *Host) NoteReported() { h.reported = true }

// Locked reports whether the coroutine's goroutine is locked to its thread: then it must not be left. On the coroutine only. It costs next to nothing, where a
// word tells (internal/sys/threadlock), and otherwise a microsecond.
func (co *Coroutine) Locked() bool { return co.lock.Held() }

// Unlock unlocks the coroutine's goroutine from its thread, after what ran on it has left it locked, and tells [Config.Locked] of that. The coroutine must be left to
// its host next: that one sees to it that the thread ends. On the coroutine only.
func (co *Coroutine) Unlock() {
	b := co.base.Load()
	if b != nil && b.host != nil {
		b.host.tellLocked()
		b.host.reported = false
		b.lockedThread = co.lock.Thread()
	}
	threadlock.Release()
}

// takeSpoilt locks the host, which goes on after a coroutine that was unlocked, to the thread that was that one's. It was switched to in that thread, and is still there if Go
// has not preempted either of them in between; otherwise the thread is not known any more, and lives on.
func (b *base) lockToThread() {
	thread := b.lockedThread
	b.lockedThread = 0
	if b.host.driven != nil {
		return
	}
	runtime.LockOSThread()
	if b.host.lock.Thread() != thread {
		runtime.UnlockOSThread()
		return
	}
	b.host.reported = true
}

// onFreeThread calls f on this goroutine or, if that is locked to its thread, on another one: f makes coroutines, or enters some. A panic of f is the caller's.
func onFreeThread(f func()) {
	if !threadlock.Held() {
		f()
		return
	}
	done := make(chan any)
	go func() {
		defer func() { done <- recover() }()
		f()
	}()
	if value := <-done; value != nil {
		panic(value)
	}
}
