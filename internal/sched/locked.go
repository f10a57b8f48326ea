package sched

import (
	"runtime"

	"github.com/freerun-go/freerun/internal/sys/threadlock"
)

// A task that calls runtime.LockOSThread and returns without UnlockOSThread leaves its goroutine
// locked to its thread. Go ends the program when such a goroutine is switched as a coroutine. It
// gives the thread, in which the task may have changed anything, to no other goroutine. So freerun
// treats a locked
//
//	host          its processor goes to another host; its goroutine ends, and the thread with it
//	coroutine     it is unlocked, because it could not be left otherwise; the host that goes on in
//	              the same thread locks itself to the thread, and then ends
//	driven host   it is unlocked, because the hosts of a deterministic scheduler are coroutines,
//	              and goes on in the thread
//
// [Config.Locked] is called for each. A locked goroutine must not be switched in the middle of a
// task either: [Coroutine.Locked] tells. Such a task leaves its processor ([Processor.Leave]) and
// sleeps until one comes back ([Host.AwaitProcessor]).
//
// Checked by: TestLocked…

// leaveLocked is called by a host whose task has ended with the goroutine locked. It reports
// whether the host ends.
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

// tellLocked calls [Config.Locked] for the running or just ended task, once.
func (h *Host) tellLocked() {
	if tell := h.scheduler.config.Locked; tell != nil && !h.reported {
		h.reported = true
		tell(h)
	}
}

// Locked reports whether the host's goroutine is locked to its thread. It costs a load. Where the
// answer would cost more, it returns false, and the host finds out when the task has ended. On the
// host's goroutine only.
func (h *Host) Locked() bool { return h.lock.HeldForSure() }

// NoteReported notes that the lock was reported: [Config.Locked] is not called again when the task
// has ended. A driven host is unlocked at once. On the host's goroutine only.
func (h *Host) NoteReported() {
	if h.driven != nil {
		threadlock.Release()
		return
	}
	h.reported = true
}

// Locked reports whether the coroutine's goroutine is locked to its thread, so that it must not be
// left. It costs a load where a word of Go's g tells (internal/sys/threadlock), and a microsecond
// otherwise. On the coroutine only.
func (co *Coroutine) Locked() bool { return co.lock.Held() }

// Unlock unlocks the coroutine's goroutine from its thread, after a task has left it locked, and
// calls [Config.Locked]. The coroutine must return to its host next, which ends the thread. On the
// coroutine only.
func (co *Coroutine) Unlock() {
	b := co.base.Load()
	if b != nil && b.host != nil {
		b.host.tellLocked()
		b.host.reported = false
		b.lockedThread = co.lock.Thread()
	}
	threadlock.Release()
}

// lockToThread locks the host, which goes on after a coroutine that was unlocked, to the thread
// that the coroutine was locked to. The coroutine was switched in that thread. If Go has preempted
// neither of them since, the host still runs there; otherwise the thread is no longer known, and
// lives on.
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

// onFreeThread calls f on this goroutine or, if that is locked to its thread, on another one,
// because f makes or enters coroutines. It waits for f; a panic of f becomes the caller's.
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
