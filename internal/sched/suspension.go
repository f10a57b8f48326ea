package sched

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/threadlock"
)

// Strand is a place in the middle of a task where it waits for another one, without keeping its processor from working: the goroutine
// sleeps with the task's stack, and goes on with a processor when the strand is ready. The zero value can be used. It must not be copied; once
// Wait has returned it may be used again. Waiting allocates nothing, but for a goroutine if there is no spare one.
//
// The protocol. The task that waits, on its host h and processor p:
//
//	W1  notes itself as away, and h in the strand                              (plain stores)
//	W2  state: open → waiting. If that fails the strand is ready: it undoes W1 and returns p
//	W3  gives p to another host
//	W4  sleeps in h's berth until some processor is in it, which it returns
//
// Whoever makes it ready, once for each wait:
//
//	R1  state becomes ready. If it was open, that is all: W2 will fail
//	R2  if it was waiting, the strand is queued like any task
//
// The processor q, at home on g, that runs the strand as a task:
//
//	G1  notes the task as no longer away
//	G2  gives itself into h's berth; g, without a processor now, becomes a spare
//
// One of W2 and R1 comes first in the order of state. If R1, the wait does not begin; if W2, R2 queues the strand, once, and the
// scheduler runs what is queued: no wake-up is lost. W1 comes before W2 and so before R2 and G2, which read h.
// G2 may come before W3: then h has two processors for a moment, of which it gives p away and takes q. The berth is empty at G2, since h
// is no spare from its W1 to its W4, and gets one G2 for each. p and q may be the same, when p's new home is g.
// h touches the strand last before its wait returns, and R and G touch it last before W4 ends, or before W2 fails: so its memory may be
// used again then.
//
// If the scheduler stops without running what is queued, the strand's task is discarded, and W4 ends without a processor.
//
// Checked by: TestSuspension…, TestExploreSuspension…
type Suspension struct {
	Task
	state atomics.Uint32
	host  atomics.Plain[*Host]
}

// States of a strand.
const (
	suspensionOpen    = iota // nobody waits, and it is not ready
	suspensionWaiting        // to be queued by whoever makes it ready
	suspensionReady          // a wait would not be one
)

var suspensionKind = &Kind{Run: resume, Discard: abandon}

func suspensionOf(t *Task) *Suspension { return (*Suspension)(unsafe.Pointer(t)) }

// Wait waits until the strand is ready. p is the processor that runs the calling task; the task goes on with the one that Wait returns, which
// is p only if it did not have to wait. It returns nil if the scheduler was stopped meanwhile: then the task goes on without a
// processor, as after [Processor.Leave]. By the task that runs on p only; it panics on another goroutine than p's.
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

// Ready ends the wait of the strand, or lets the next one return at once. It must be called once for each wait, by any goroutine. p is the
// processor whose goroutine calls it: it gets to run the strand, unless others are faster. It may be nil, or one that the caller has left.
func (s *Suspension) Ready(p *Processor) { s.ReadyAt(Normal, p) }

// ReadyAt is Ready with the priority that the waiting task goes on with.
func (s *Suspension) ReadyAt(pr Priority, p *Processor) {
	if !s.makeReady() { // R1
		return
	}
	if home := s.host.Get().scheduler; p != nil && p.scheduler == home && p.isHome() { // R2
		p.PushAt(pr, &s.Task)
	} else {
		home.InjectAt(pr, &s.Task)
	}
}

// beginWait: open → waiting; false if the strand is ready.
func (s *Suspension) beginWait() bool {
	return s.state.CompareAndSwap(suspensionOpen, suspensionWaiting)
}

// makeReady: open or waiting → ready. It reports whether somebody waits.
func (s *Suspension) makeReady() (waiting bool) {
	switch s.state.Swap(suspensionReady) {
	case suspensionWaiting:
		return true
	case suspensionReady:
		panic("sched: a strand was made ready twice")
	}
	return false
}

// resume runs a strand as a task: the processor moves to the goroutine that waits.
func resume(p *Processor, t *Task) {
	p.MoveTo(suspensionOf(t).host.Get()) // G1, G2
}

// abandon ends the wait of a strand that no processor comes for.
func abandon(t *Task) { suspensionOf(t).host.Get().Abandon() }
