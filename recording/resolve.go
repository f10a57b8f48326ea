package recording

import (
	"cmp"
	"container/heap"
	"slices"
	"time"

	"github.com/freerun-go/freerun/internal/record"
)

// resolver turns what is on tapes into events: it finds out which addresses are which message and unit, and where what ran has ended.
//
// A message is sent before it is run, and run before its letter is sent again, and tapes are gone through in order of time; so what was sent last with a letter
// is what the letter stands for. A unit's first operation says that it is that: so what was at the address before is another unit. What
// ran on a processor ends when the processor does something else, which it does by itself only when it has returned.
type resolver struct {
	t       *Trace
	file    *file
	at      map[uint64]uint32 // message, by the letter's address
	units   map[uint64]uint32 // by address
	names   map[string]uint32 // number of an operation in the trace, by name
	numbers map[uint16]uint32 // the same, by its number on the tapes
	ran     []bool            // by unit: it has run something
	sent    []int32           // by message: the index of the event Send, −1 if there is none
	begun   []bool            // by message
	active  []bool            // by message: it is an activity
	lanes   []lane            // by tape
	away    map[uint64]uint32 // by goroutine: what has left its processor, and is run by it
	origin  uint64            // ticks at the start
	scale   float64           // nanoseconds of a tick
}

// lane is what is known of a processor while its tape is gone through.
type lane struct {
	message   uint32 // that has the processor; 0 if none has
	activity  bool   // that is one
	branches  int    // nested in one another
	spoken    uint32 // the unit that was spoken of last
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
	r.lanes = make([]lane, tapes)
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
			broken = &BrokenError{Offset: f.at, Reason: "the events of a processor do not go on as events"}
		}
		heap.Pop(&sources)
	}
	t.Sent = len(r.sent) - 1
	r.finish()
	return t, broken
}

// clock finds out how long a tick is.
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

// finish completes what is about the whole of it.
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
	t.Processors = max(t.Processors, len(r.lanes)-1)
	if r.file.header.Window && len(t.Events) > 0 {
		first := t.Events[0].Time
		for i := range t.Events {
			t.Events[i].Time -= first
		}
		t.End -= first
		t.Start = t.Start.Add(time.Duration(first))
	}
}

// source is a tape that is gone through.
type source struct {
	tape   int
	reader *record.Reader
	event  record.Event
}

// advance goes on to the next event. One that was moved moves those that come after it.
func (s *source) advance() (ok bool) {
	last := s.event.Ticks
	s.event, ok = s.reader.Next()
	s.event.Ticks = max(s.event.Ticks, last)
	return ok
}

// ahead is how many ticks a machine may read its clock too early: some hundred nanoseconds, if it waits for what another processor writes.
const ahead = 4000

// tooEarly reports whether the next event, of source s, is the begin of a message that is sent a little later by the clock: the machine has read
// the clock before it had the message. Then it returns when that is.
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

// merge has the tapes in order of their next events.
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

// fresh returns the number of a message that a letter stands for from now on.
func (r *resolver) fresh(letter uint64) uint32 {
	m := uint32(len(r.sent))
	r.sent, r.begun, r.active = append(r.sent, -1), append(r.begun, false), append(r.active, false)
	r.at[letter] = m
	return m
}

// unit returns the number of the unit at an address; first says that it runs its first operation.
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

// operation returns the number in the trace of an operation on the tapes. Those of one name are one.
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
