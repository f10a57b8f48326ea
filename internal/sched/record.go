package sched

import "github.com/freerun-go/freerun/internal/record"

// The events that are recorded of a processor besides those of its tasks: steals, searches, sleeps.
// All of it happens when there is nothing to run, so the check for a tape costs nothing that
// counts.

// Record makes the processor record on the tape from now on; nil ends that. An event that has
// already begun may still go to the previous tape. Any goroutine.
func (p *Processor) Record(t *record.Tape) { p.tape.Store(t) }

// Tape returns the tape that the processor records on, nil if there is none. Any goroutine; only
// the processor's own may write on it.
func (p *Processor) Tape() *record.Tape { return p.tape.Load() }

// note records an event if the processor has a tape.
func (p *Processor) note(k record.Kind, flag bool) {
	if t := p.tape.Load(); t != nil {
		t.Note(k, 0, flag, 0, 0)
	}
}

// noteSteal records how many tasks were stolen from victim. before is the count before the steal.
func (p *Processor) noteSteal(victim *Processor, before uint64) {
	if t := p.tape.Load(); t != nil {
		t.Note(record.Steal, 0, false, uint64(victim.index)<<32|(p.counters.stolen.Load()-before), 0)
	}
}
