package sched

// Offer is the place where a processor lays open one part of what its running task is doing: the oldest piece that another processor could do as
// well. Thieves look into it after the victim's ring and deque; the processor itself never runs what is in it, as the running task
// comes back to that anyway.
//
// It is a slot (slot.go) with another right to steal: at any time, by anybody. What is laid into it counts as queued for the parking protocol: Put
// is S1 and S2 of gate.go, and hasWork looks into it.
//
// Only the running task's goroutine may call its methods, unless they say otherwise; it must take back or move what it offered before it returns.
// The zero value of Offer cannot be used.
type Offer struct {
	slot      slot
	scheduler *Scheduler // nil in the offer that is never open
}

// closedOffer is the offer of a processor that is alone: nobody would look into it, so it seems to be full for ever.
var closedOffer = func() *Offer {
	o := &Offer{}
	o.slot.word.Store(slotFull)
	return o
}()

// Offer returns the offer of the processor. It is never empty if the scheduler has no other processor now. Any goroutine.
func (p *Processor) Offer() *Offer {
	if len(p.scheduler.all()) == 1 {
		return closedOffer
	}
	return &p.offer
}

// NoOffer returns an offer that is never empty, for a task without a processor.
func NoOffer() *Offer { return closedOffer }

// Empty reports whether something could be put into the offer. A thief that takes what is there makes it empty: that is how it asks for
// more. One load.
func (o *Offer) Empty() bool { return !o.slot.filled() }

// Put offers t, and sees to it that somebody looks for it. The offer must be empty.
func (o *Offer) Put(t *Task) {
	o.slot.put(t)         // S1
	o.scheduler.wakeOne() // S2
}

// Take takes back what is offered; nil if a thief was faster, or nothing was offered.
func (o *Offer) Take() *Task {
	if o.scheduler == nil {
		return nil
	}
	return o.slot.take()
}

// StealOffered takes an offered task of another processor which is accepted, nil if there is none. accept is asked about a task that may be taken,
// and even used again, by its owner at the same time: it may look only at what is atomic or relaxed in it. What accept saw was so when the task
// was taken: the slot's number tells. On p's goroutine only.
func (p *Processor) StealOffered(accept func(t *Task) bool) *Task {
	all := p.scheduler.all()
	start := int(p.draw() % uint64(len(all)))
	for i := range all {
		victim := all[(start+i)%len(all)]
		if victim == p {
			continue
		}
		if t := victim.offer.slot.stealIf(accept); t != nil {
			p.counters.steals.Add(1)
			p.counters.stolen.Add(1)
			p.noteSteal(victim, p.counters.stolen.Load()-1)
			p.tellStolen(victim)
			return t
		}
	}
	return nil
}
