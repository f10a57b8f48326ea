package sched

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/threadlock"
)

// Suspension is where a task waits in its middle for another one, while its processor goes on with
// other tasks. The goroutine sleeps with the task's stack, and continues with a processor when the
// suspension is ready. The zero value is ready for use. It must not be copied. When Wait has
// returned it may be used again. Waiting allocates nothing, except a goroutine if there is no
// spare one.
//
// The protocol. The waiter is the task that waits, on its host h and processor p:
//
//	W1  notes itself as away, and h in the suspension  (plain stores)
//	W2  state: open → waiting. If that fails, the suspension is ready: it undoes W1 and returns p
//	W3  gives p to another host
//	W4  sleeps in h's parker until a processor is in it, and returns that one
//
// The waker makes the suspension ready, once for each wait:
//
//	R1  state becomes ready. If it was open, that is all: W2 will fail
//	R2  if it was waiting, queues the suspension, which is a task
//
// The processor q, whose home is the host g, runs the suspension as a task:
//
//	G1  notes the waiter as no longer away
//	G2  gives itself into h's parker; g, without a processor now, becomes a spare
//
// Why no wake-up is lost:
//
//	One of W2 and R1 comes first in the order of state.
//	If R1 does, the wait does not begin. If W2 does, R2 queues the suspension, once, and the
//	scheduler runs it.
//	W1 comes before W2, and so before R2 and G2, which read h.
//
// Why h gets exactly one processor:
//
//	G2 may come before W3. Then h has two processors for a moment: it gives p away and takes q.
//	h's parker is empty at G2: h is no spare from its W1 to its W4, and gets one G2 for each wait.
//	p and q may be the same processor, when p's new home is g.
//
// Why the suspension may be reused:
//
//	h touches it last before Wait returns.
//	R and G touch it last before W4 ends, or before W2 fails.
//
// If the scheduler stops without running the queued suspension, the suspension's task is
// discarded, and W4 ends without a processor.
//
// Checked by: TestSuspension…, TestExploreSuspension
type Suspension struct {
	Task
	state atomics.Uint32
	host  atomics.Plain[*Host]
}

// The states of a suspension.
const (
	suspensionOpen    = iota // no task waits, and it is not ready
	suspensionWaiting        // the waker must queue it
	suspensionReady          // a wait would return at once
)

var suspensionKind = &Kind{Run: resume, Discard: abandon}

func suspensionOf(t *Task) *Suspension { return (*Suspension)(unsafe.Pointer(t)) }

// Wait waits until the suspension is ready. p is the processor that runs the calling task. The
// task goes on with the processor that Wait returns, which is p only if it did not have to wait.
// Wait returns nil if the scheduler was stopped meanwhile: then the task goes on without a
// processor, as after [Processor.Leave]. By the running task only; Wait panics on another
// goroutine than p's.
func (s *Suspension) Wait(p *Processor) *Processor {
	h := p.mustBeHome("Wait")
	if s.state.Load() == suspensionReady {
		s.state.Store(suspensionOpen)
		return p
	}
	if h.driven != nil && threadlock.Held() {
		panic("sched: a task of a deterministic scheduler must not wait while it is locked to its thread (runtime.LockOSThread)")
	}
	task := p.running.Load()
	h.away.Store(task) // W1
	h.scheduler.census.addAway()
	s.Kind = suspensionKind
	s.host.Set(h)
	if !s.beginWait() { // W2
		h.away.Store(nil)
		h.scheduler.census.removeAway() // not idle: p is awake
		s.state.Store(suspensionOpen)
		return p
	}
	h.release(p)
	h.scheduler.handOff(p)  // W3
	q := h.AwaitProcessor() // W4
	s.host.Clear()
	s.state.Store(suspensionOpen)
	return q
}

// Ready ends the wait, or makes the next one return at once. Call it once for each wait, from any
// goroutine; it panics if the suspension is ready already. p is the processor whose goroutine
// calls Ready: it queues the suspension there. p may be nil, or a processor that the caller has
// left.
func (s *Suspension) Ready(p *Processor) { s.ReadyAt(Normal, p) }

// ReadyAt is Ready with the priority that the waiting task continues with.
func (s *Suspension) ReadyAt(pr Priority, p *Processor) {
	if !s.makeReady() { // R1
		return
	}
	if p != nil && !p.isHome() {
		p = nil
	}
	s.host.Get().scheduler.QueueAt(p, Newest, pr, &s.Task) // R2
}

// beginWait: open → waiting; false if the suspension is ready.
func (s *Suspension) beginWait() bool {
	return s.state.CompareAndSwap(suspensionOpen, suspensionWaiting)
}

// makeReady: open or waiting → ready. It reports whether a task waits, and panics if the
// suspension is ready already.
func (s *Suspension) makeReady() (waiting bool) {
	switch s.state.Swap(suspensionReady) {
	case suspensionWaiting:
		return true
	case suspensionReady:
		panic("sched: a suspension was made ready twice")
	}
	return false
}

// resume runs a suspension as a task: the processor moves to the waiter's host.
func resume(p *Processor, t *Task) {
	p.MoveTo(suspensionOf(t).host.Get()) // G1, G2
}

// abandon ends the wait of a suspension that no processor comes for.
func abandon(t *Task) { suspensionOf(t).host.Get().Abandon() }
