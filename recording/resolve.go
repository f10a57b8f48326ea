package recording

import (
	"cmp"
	"container/heap"
	"slices"
	"time"

	"github.com/freerun-go/freerun/internal/record"
)

// resolver turns what is on tapes into events. It finds out which message and which unit an address
// means, and where the run of a message has ended.
//
// Addresses are used again, so order decides. A message is sent before it runs, and runs before its
// memory is sent again as another message; tapes are read in order of time. So an address means the
// message that was sent last from there. The first operation of a unit is marked as such, and what
// was at the unit's address before is another unit. A run ends when its processor does something
// else, because a processor goes on by itself only after the run has returned.
type resolver struct {
	t       *Trace
	file    *file
	at      map[uint64]uint32 // message by its address
	units   map[uint64]uint32 // unit by address
	names   map[string]uint32 // number of an operation in the trace by name
	numbers map[uint16]uint32 // the same by its number on the tapes
	ran     []bool            // by unit: it has run an operation
	sent    []int32           // by message: index of its event Send, −1 if there is none
	begun   []bool            // by message
	active  []bool            // by message: it is an activity
	tapes   []tapeState       // by tape
	away    map[uint64]uint32 // by goroutine: a message that has left its processor
	timers  map[uint64]int32  // by address of what it will send: index of its event Timer
	fires   map[uint64]int32  // by goroutine: the same of the timer that it fires
	origin  uint64            // ticks at the start
	scale   float64           // nanoseconds per tick
}

// tapeState is the state of a processor while its tape is read.
type tapeState struct {
	message   uint32 // the message that has the processor; 0 if none has
	activity  bool   // message is an activity
	branches  int    // depth of nested branches
	spoken    uint32 // the unit of the last event that names one
	lost      uint64
	goroutine uint64
}

func (f *file) resolve() (*Trace, error) {
	t := &Trace{
		Start: f.header.Start, Program: f.header.Program, Virtual: f.header.Virtual, Processors: f.header.Processors,
		Operations: []string{""}, Units: make([]Unit, 1),
	}
	r := &resolver{
		t: t, file: f, at: map[uint64]uint32{}, units: map[uint64]uint32{}, names: map[string]uint32{}, numbers: map[uint16]uint32{},
		ran: make([]bool, 1), sent: []int32{-1}, begun: make([]bool, 1), active: make([]bool, 1), away: map[uint64]uint32{},
		timers: map[uint64]int32{}, fires: map[uint64]int32{},
	}
	r.clock()
	var sources merge
	words, tapes := 0, 0
	for i, w := range f.tapes {
		source := &source{tape: i, reader: record.NewReader(w)}
		if source.advance() {
			sources = append(sources, source)
		}
		words, tapes = words+len(w), max(tapes, i+1)
	}
	slices.SortFunc(sources, func(a, b *source) int { return cmp.Compare(a.tape, b.tape) })
	r.tapes = make([]tapeState, tapes)
	t.Events = make([]Event, 0, words/2)
	heap.Init(&sources)
	var broken error
	for len(sources) > 0 {
		s := sources[0]
		if at, late := r.tooEarly(s, sources); late {
			s.event.Ticks = at
			heap.Fix(&sources, 0)
			continue
		}
		r.take(s.tape, &s.event)
		if s.advance() {
			heap.Fix(&sources, 0)
			continue
		}
		if s.reader.Broken() && broken == nil {
			broken = f.broken("the events of a processor do not go on as events")
		}
		heap.Pop(&sources)
	}
	t.Sent = len(r.sent) - 1
	r.finish()
	return t, broken
}

// clock finds the length of a tick.
func (r *resolver) clock() {
	f := r.file
	r.origin, r.scale = f.header.Ticks, 1
	if m := f.mark; !f.header.Virtual && m.ticks > r.origin && m.nanoseconds > 0 {
		r.scale = float64(m.nanoseconds) / float64(m.ticks-r.origin)
	}
}

func (r *resolver) time(ticks uint64) int64 {
	return int64(float64(int64(ticks-r.origin)) * r.scale)
}

// finish sets what follows from the whole recording.
func (r *resolver) finish() {
	t := r.t
	if n := len(t.Events); n > 0 {
		t.End = t.Events[n-1].Time
	}
	if end := r.file.end; end != nil {
		t.End = max(t.End, r.time(end.Ticks))
		t.Processors = max(t.Processors, end.Processors)
		t.Lost = 0
		for _, n := range end.Lost {
			t.Lost += n
		}
	}
	t.Processors = max(t.Processors, len(r.tapes)-1)
	if r.file.header.Window && len(t.Events) > 0 {
		first := t.Events[0].Time
		for i := range t.Events {
			t.Events[i].Time -= first
		}
		t.End -= first
		t.Start = t.Start.Add(time.Duration(first))
	}
}

// source is a tape that is being read.
type source struct {
	tape   int
	reader *record.Reader
	event  record.Event
}

// advance reads the next event. An event that was moved to a later time moves those that come after
// it.
func (s *source) advance() (ok bool) {
	last := s.event.Ticks
	s.event, ok = s.reader.Next()
	s.event.Ticks = max(s.event.Ticks, last)
	return ok
}

// ahead bounds how many ticks too early a processor may read its clock. It is some hundred
// nanoseconds too early, while it waits for a line that another processor writes.
const ahead = 4000

// tooEarly reports whether the next event of source s is the begin of a message whose send has a
// slightly later time: the processor has read the clock before it had the message. at is a time
// after the send.
func (r *resolver) tooEarly(s *source, all merge) (at uint64, late bool) {
	e := &s.event
	if e.Kind != record.Begin && e.Kind != record.In {
		return 0, false
	}
	if m := r.at[e.A]; m != 0 && !(e.Kind == record.Begin && r.begun[m]) {
		return 0, false
	}
	for _, other := range all {
		if other == s {
			continue
		}
		for next, reader := other.event, *other.reader; next.Ticks <= e.Ticks+ahead; {
			if next.Kind == record.Send && next.A == e.A {
				return next.Ticks + 1, true
			}
			var ok bool
			if next, ok = reader.Next(); !ok {
				break
			}
		}
	}
	return 0, false
}

// merge orders the tapes by the times of their next events.
type merge []*source

func (m merge) Len() int { return len(m) }
func (m merge) Less(i, j int) bool {
	if m[i].event.Ticks != m[j].event.Ticks {
		return m[i].event.Ticks < m[j].event.Ticks
	}
	return m[i].tape < m[j].tape
}
func (m merge) Swap(i, j int) { m[i], m[j] = m[j], m[i] }
func (m *merge) Push(x any)   { *m = append(*m, x.(*source)) }
func (m *merge) Pop() any {
	last := len(*m) - 1
	s := (*m)[last]
	*m = (*m)[:last]
	return s
}

// add adds an event.
func (r *resolver) add(tape int, ticks uint64, e Event) *Event {
	e.Time, e.Processor = r.time(ticks), int16(tape-1)
	r.t.Events = append(r.t.Events, e)
	return &r.t.Events[len(r.t.Events)-1]
}

// fresh returns the number of a new message. From now on its address means that message.
func (r *resolver) fresh(address uint64) uint32 {
	m := uint32(len(r.sent))
	r.sent, r.begun, r.active = append(r.sent, -1), append(r.begun, false), append(r.active, false)
	r.at[address] = m
	delete(r.timers, address) // a timer for what was there before
	return m
}

// unit returns the number of the unit at an address. first says that its first operation begins,
// runs that it runs an operation.
func (r *resolver) unit(address uint64, first, runs bool) uint32 {
	if address == 0 {
		return 0
	}
	u, known := r.units[address]
	if !known || first && r.ran[u] {
		u = uint32(len(r.t.Units))
		r.t.Units, r.ran = append(r.t.Units, Unit{Address: address}), append(r.ran, false)
		r.units[address] = u
	}
	r.ran[u] = r.ran[u] || runs
	return u
}

// operation returns the number in the trace of an operation on the tapes. Operations with the same
// name have the same number.
func (r *resolver) operation(n uint16) uint32 {
	if n == 0 {
		return 0
	}
	if at, ok := r.numbers[n]; ok {
		return at
	}
	name := "an operation whose name is lost"
	if o, ok := r.file.names.Operations[int(n)]; ok {
		name = o.Name
	}
	at, ok := r.names[name]
	if !ok {
		at = uint32(len(r.t.Operations))
		r.t.Operations = append(r.t.Operations, name)
		r.names[name] = at
	}
	r.numbers[n] = at
	return at
}
