package sched

import "github.com/freerun-go/freerun/internal/record"

// What is recorded of a processor besides what it runs: steals, searches, sleeps. All of it is done when there is nothing to run, so to look whether somebody
// wants to know costs nothing that counts.

// Record has what the processor does recorded on the tape from now on; nil ends that. What it is about to record it may still record on the tape
// before. Any goroutine.
func (p *Processor) Record(t *record.Tape) { p.tape.Store(t) }

// Tape returns what the processor is recorded on, nil if it is not. Any goroutine; only the processor's own may write on it.
func (p *Processor) Tape() *record.Tape { return p.tape.Load() }

func (p *Processor) note(k record.Kind, flag bool) {
	if t := p.tape.Load(); t != nil {
		t.Note(k, 0, flag, 0, 0)
	}
}

// noteSteal records that tasks were taken from another processor: as many as the count has grown.
func (p *Processor) noteSteal(victim *Processor, before uint64) {
	if t := p.tape.Load(); t != nil {
		t.Note(record.Steal, 0, false, uint64(victim.index)<<32|(p.counters.stolen.Load()-before), 0)
	}
}
