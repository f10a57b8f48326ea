package recording

// Message describes one message of a recording: an operation on a unit, an operation without a
// unit, or an activity. Times are in nanoseconds since the start; a time that is not known is
// negative.
type Message struct {
	Operation uint32
	Unit      uint32
	// Sender is the message that sent it; 0 if an ordinary goroutine did, or none is known.
	Sender   uint32
	SentBy   int16 // the processor
	RanOn    int16 // the processor that began it
	Activity bool

	Sent int64 // when it was sent
	// Ready is when all that it needed was there: at the send, if it needed nothing then.
	Ready int64
	Begin int64 // when it was begun
	End   int64 // when it had returned
	// Ran is its running time, without waiting and without the time away from its processor.
	Ran int64
	// Waited is the time from the send to the begin; negative if one of the two is not known.
	Waited int64
	// Moved says that it ran on another processor than that of its sender; false if one of the two
	// is not known.
	Moved bool
}

// Messages collects what the events tell about each message. The index is the number of the
// message; index 0 is no message.
func (t *Trace) Messages() []Message {
	all := make([]Message, t.Sent+1)
	for i := range all {
		all[i] = Message{SentBy: Outside, RanOn: Outside, Sent: -1, Ready: -1, Begin: -1, End: -1}
	}
	in := make([]int64, len(all)) // by message that runs: since when
	for i := range t.Events {
		e := &t.Events[i]
		if e.Message == 0 || int(e.Message) >= len(all) {
			continue
		}
		m := &all[e.Message]
		switch e.Kind {
		case KindSend:
			m.Operation, m.Unit, m.Sender, m.SentBy = e.Operation, e.Unit, e.Other, e.Processor
			m.Sent, m.Ready = e.Time, e.Time
		case KindReady:
			m.Ready = e.Time
		case KindRunBegin, KindSwitchIn:
			if m.Begin < 0 {
				m.Begin, m.RanOn = e.Time, e.Processor
				// Later on, an operation that slept in a join is switched in, too.
				m.Activity = e.Kind == KindSwitchIn
			}
			m.Operation = e.Operation
			if e.Unit != 0 {
				m.Unit = e.Unit
			}
			in[e.Message] = e.Time
		case KindBlockBegin:
			m.Ran += e.Time - in[e.Message]
		case KindBlockEnd:
			in[e.Message] = e.Time
		case KindRunEnd, KindSwitchOut:
			m.End = e.Time
			if m.Begin >= 0 {
				m.Ran += e.Time - in[e.Message]
			}
		}
	}
	for i := range all {
		m := &all[i]
		m.Waited = -1
		if m.Sent >= 0 && m.Begin >= 0 {
			m.Waited = max(0, m.Begin-m.Sent)
		}
		m.Moved = m.SentBy >= 0 && m.RanOn >= 0 && m.SentBy != m.RanOn
	}
	return all
}
