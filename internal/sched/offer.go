package sched

// Offer is where a processor publishes one part of its running task: the oldest part that another
// processor could do as well. Thieves look into it after the victim's ring and deque. The processor
// itself never runs that part from the Offer, because the running task comes back to it anyway.
//
// It is a slot (slot.go) that any goroutine may steal from at any time. For the parking protocol
// its task counts as queued: Put is S1 and S2 of parking.go, and hasWork looks into it.
//
// Only the running task's goroutine may call its methods, unless a method says otherwise. The task
// must take back or move its offered part before it returns. An Offer must not be copied, and its
// zero value is not usable.
type Offer struct {
	slot      slot
	scheduler *Scheduler // nil in closedOffer
}

// closedOffer looks full for ever. No thief can reach it.
var closedOffer = func() *Offer {
	o := &Offer{}
	o.slot.word.Store(slotFull)
	return o
}()

// Offer returns the offer of the processor. A processor that is alone offers as all do, since
// another one may come while its task runs. Any goroutine.
func (p *Processor) Offer() *Offer { return &p.offer }

// NoOffer returns an offer that is never empty, for a task without a processor. Any goroutine.
func NoOffer() *Offer { return closedOffer }

// Empty reports whether a task can be put into the offer. A thief empties the offer and thereby
// asks for more. It costs one load.
func (o *Offer) Empty() bool { return !o.slot.filled() }

// Put offers t, and wakes a processor unless as many search as may. The offer must be empty.
func (o *Offer) Put(t *Task) {
	o.slot.put(t)         // S1
	o.scheduler.wakeOne() // S2
}

// Take takes back the offered task; nil if a thief was faster, or nothing was offered.
func (o *Offer) Take() *Task {
	if o.scheduler == nil {
		return nil
	}
	return o.slot.take()
}
