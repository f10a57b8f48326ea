package recording

// Message is what a recording knows of one message: an operation on a unit, or one without unit, or an activity. Times are in nanoseconds since the start; one
// that is not known is negative.
type Message struct {
	Operation uint32
	Unit      uint32
	Sender    uint32 // the message that sent it, 0 if it was an ordinary goroutine, or is not known
	SentBy    int16  // the processor
	RanOn     int16  // the processor that began it
	Activity  bool

	Sent  int64 // when it was sent
	Ready int64 // when all that it needed was there: at the send, if that was so then
	Begin int64 // when it was begun
	End   int64 // when it had returned
	Ran   int64 // how long it ran, without the time in which it waited, or had left its processor
}

// Wait returns how long the message waited from the send to its begin, and whether both are known.
func (m *Message) Wait() (nanoseconds int64, known bool) {
	return m.Begin - m.Sent, m.Sent >= 0 && m.Begin >= 0
}

// Moved reports whether another processor ran the message than the one that sent it.
func (m *Message) Moved() bool { return m.SentBy >= 0 && m.RanOn >= 0 && m.SentBy != m.RanOn }

// Messages puts together what the events tell of each message. The index is the message's number; that of 0 is no message.
func (t *Trace) Messages() []Message {
	all := make([]Message, t.Sent+1)
	for i := range all {
		all[i] = Message{SentBy: Outside, RanOn: Outside, Sent: -1, Ready: -1, Begin: -1, End: -1}
	}
	in := make([]int64, len(all)) // when it began to run, for those that run
	for i := range t.Events {
		e := &t.Events[i]
		if e.Message == 0 || int(e.Message) >= len(all) {
			continue
		}
		m := &all[e.Message]
		switch e.Kind {
		case Send:
			m.Operation, m.Unit, m.Sender, m.SentBy = e.Operation, e.Unit, e.Other, e.Processor
			m.Sent, m.Ready = e.Time, e.Time
		case Ready:
			m.Ready = e.Time
		case RunBegin, SwitchIn:
			if m.Begin < 0 {
				m.Begin, m.RanOn = e.Time, e.Processor
			}
			m.Operation, m.Activity = e.Operation, e.Kind == SwitchIn
			if e.Unit != 0 {
				m.Unit = e.Unit
			}
			in[e.Message] = e.Time
		case BlockBegin:
			m.Ran += e.Time - in[e.Message]
		case BlockEnd:
			in[e.Message] = e.Time
		case RunEnd, SwitchOut:
			m.End = e.Time
			if m.Begin >= 0 {
				m.Ran += e.Time - in[e.Message]
			}
		}
	}
	return all
}
