package recording

import "github.com/freerun-go/freerun/internal/record"

// take turns the next event of a tape into events of the trace.
func (r *resolver) take(tape int, e *record.Event) {
	l := &r.tapes[tape]
	switch e.Kind {
	case record.Chunk:
		if lost := e.B - l.lost; lost > 0 {
			l.lost = e.B
			r.t.Lost += lost
			r.add(tape, e.Ticks, Event{Kind: KindLost, N: int32(min(lost, 1<<31-1))})
			*l = tapeState{lost: l.lost}
		}
	case record.Send:
		r.send(tape, l, e)
	case record.Timer:
		r.timer(tape, l, e)
	case record.Fire:
		if i, ok := r.timers[e.A]; ok {
			r.fires[l.goroutine] = i
			delete(r.timers, e.A)
		}
	case record.Begin:
		r.begin(tape, l, e)
	case record.In:
		r.in(tape, l, e)
	case record.Pause:
		r.close(tape, l, e.Ticks)
	case record.Search, record.Park:
		r.close(tape, l, e.Ticks)
		r.add(tape, e.Ticks, Event{Kind: kindOf[e.Kind]})
	case record.SearchEnd:
		found := int32(0)
		if e.Flag {
			found = 1
		}
		r.add(tape, e.Ticks, Event{Kind: KindSearchEnd, N: found})
	case record.Unpark:
		r.add(tape, e.Ticks, Event{Kind: KindUnpark})
	case record.Steal:
		r.add(tape, e.Ticks, Event{Kind: KindSteal, Other: uint32(e.A >> 32), N: int32(uint32(e.A))})
	case record.Need:
		if m, other := r.message(e.A), r.message(e.B); m != 0 && other != 0 {
			r.add(tape, e.Ticks, Event{Kind: KindNeed, Message: m, Other: other})
		}
	case record.Ready:
		r.about(tape, e, KindReady)
	case record.Fulfilled:
		r.about(tape, e, KindFulfilled)
		delete(r.timers, e.A)
	case record.Seen:
		if m := r.message(e.A); m != 0 {
			r.add(tape, e.Ticks, Event{Kind: KindSeen, Message: m, N: goroutineNumber(l.goroutine)})
		}
	case record.Branch:
		if !e.Flag {
			r.close(tape, l, e.Ticks)
		}
		l.branches++
		r.add(tape, e.Ticks, Event{Kind: KindBranchBegin, Message: l.message, Operation: r.operation(e.Operation)})
	case record.BranchEnd:
		if l.branches > 0 {
			l.branches--
		}
		r.add(tape, e.Ticks, Event{Kind: KindBranchEnd})
	case record.Out:
		l.message = 0
		r.about(tape, e, KindSwitchOut)
	case record.Leave:
		l.message = 0
		if m := r.about(tape, e, KindBlockBegin); m != 0 {
			r.away[e.B] = m
		}
	case record.Back:
		r.about(tape, e, KindBlockEnd)
	case record.End:
		r.about(tape, e, KindRunEnd)
		delete(r.away, l.goroutine)
	case record.With:
		if m := l.message; m != 0 {
			l.spoken = r.unit(e.A, e.Flag, true)
			r.add(tape, e.Ticks, Event{Kind: KindWith, Message: m, Unit: l.spoken})
		}
	case record.Name:
		if int(l.spoken) < len(r.t.Units) && l.spoken != 0 {
			r.t.Units[l.spoken].Name = r.file.names.Units[uint32(e.A)]
		}
	case record.Goroutine:
		l.goroutine = e.A
	}
}

// kindOf has the kinds that mean the same on a tape and in a trace.
var kindOf = [record.Kinds]Kind{
	record.Search: KindSearchBegin, record.Park: KindPark,
}

// goroutineNumber makes a number that fits into an event from an identity.
func goroutineNumber(id uint64) int32 { return int32(id>>4) & (1<<31 - 1) }

// about adds an event about the message that the address in e means, and returns the message.
func (r *resolver) about(tape int, e *record.Event, k Kind) uint32 {
	m := r.message(e.A)
	if m != 0 {
		r.add(tape, e.Ticks, Event{Kind: k, Message: m})
	}
	return m
}

// message returns the number of the message that an address means, 0 for none. What a timer will
// send has a number from the first event about it on; most timers that are stopped have none.
func (r *resolver) message(address uint64) uint32 {
	i, ok := r.timers[address]
	if !ok {
		return r.at[address]
	}
	t := &r.t.Events[i]
	if t.Message == 0 {
		t.Message = r.fresh(address)
		r.timers[address] = i
	}
	return t.Message
}

// sender sets who has sent, or has set a timer.
func (r *resolver) sender(tape int, l *tapeState, e *Event) {
	if e.Other = l.message; tape == 0 {
		e.Other = r.away[l.goroutine]
		e.N = goroutineNumber(l.goroutine)
	}
}

func (r *resolver) send(tape int, l *tapeState, e *record.Event) {
	sent := Event{Kind: KindSend, Operation: r.operation(e.Operation), Unit: r.unit(e.B, false, false)}
	r.sender(tape, l, &sent)
	if i, ok := r.fires[l.goroutine]; ok && tape == 0 {
		delete(r.fires, l.goroutine)
		set := &r.t.Events[i]
		sent.Message, sent.Other, sent.N = set.Message, set.Other, set.N
		if sent.Message == 0 {
			sent.Message = r.fresh(e.A)
			set.Message = sent.Message
		}
	} else {
		sent.Message = r.fresh(e.A)
	}
	r.sent[sent.Message] = int32(len(r.t.Events))
	r.add(tape, e.Ticks, sent)
}

// timer adds that a timer is set. What it sends is not known yet: a timer that repeats sends
// another message than that at its address.
func (r *resolver) timer(tape int, l *tapeState, e *record.Event) {
	set := Event{Kind: KindTimer, Operation: r.operation(e.Operation), Unit: r.unit(e.B, false, false)}
	r.sender(tape, l, &set)
	if tape == 0 {
		delete(r.fires, l.goroutine) // the message that it was to send was refused
	}
	r.timers[e.A] = int32(len(r.t.Events))
	r.add(tape, e.Ticks, set)
}

func (r *resolver) begin(tape int, l *tapeState, e *record.Event) {
	r.close(tape, l, e.Ticks)
	m := r.at[e.A]
	if m == 0 || r.begun[m] {
		m = r.fresh(e.A)
	}
	r.begun[m] = true
	l.message, l.activity = m, false
	l.spoken = r.unit(e.B, e.Flag, true)
	r.state(l.spoken, e.Operation)
	begin := Event{Kind: KindRunBegin, Message: m, Operation: r.operation(e.Operation), Unit: l.spoken}
	if i := r.sent[m]; i >= 0 {
		begin.Other = r.t.Events[i].Other
		r.t.Events[i].Unit = l.spoken // a unit made at the address after another one
	}
	r.add(tape, e.Ticks, begin)
}

// state notes the type of a unit's state, which the unit's operations know.
func (r *resolver) state(u uint32, operation uint16) {
	if u != 0 && r.t.Units[u].State == "" {
		r.t.Units[u].State = r.file.names.Operations[int(operation)].State
	}
}

// in adds that an activity gets the processor, or that an operation goes on.
func (r *resolver) in(tape int, l *tapeState, e *record.Event) {
	r.close(tape, l, e.Ticks)
	m := r.at[e.A]
	if m == 0 {
		m = r.fresh(e.A)
	}
	if e.Operation != 0 {
		r.active[m] = true
	}
	l.message, l.activity = m, r.active[m]
	in := Event{Kind: KindSwitchIn, Message: m, Operation: r.operation(e.Operation)}
	if i := r.sent[m]; i >= 0 {
		in.Other = r.t.Events[i].Other
		if in.Operation == 0 {
			in.Operation, in.Unit = r.t.Events[i].Operation, r.t.Events[i].Unit
		}
	}
	r.add(tape, e.Ticks, in)
}

// close ends the run of the message that has the processor.
func (r *resolver) close(tape int, l *tapeState, ticks uint64) {
	if l.message == 0 {
		return
	}
	k := KindRunEnd
	if l.activity {
		k = KindSwitchOut
	}
	r.add(tape, ticks, Event{Kind: k, Message: l.message})
	l.message, l.branches = 0, 0
}
