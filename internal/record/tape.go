package record

import (
	"slices"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/ticks"
)

// chunk is a number of words. Events do not cross the end of a chunk, and each chunk begins with an
// event Chunk.
const chunk = 512

// Source:     L. Lamport, Specifying concurrent program modules, TOPLAS 1983 (the ring with one
//             writer and one reader); M. Desnoyers and M. Dagenais, The LTTng tracer, OLS 2006
//             (chunks)
// Sketch:     write: words at n, n+1, …; head = n
//             read:  h = head; the words from tail to h; tail = h
//             last:  h = head; the words from h−size, by atomic loads; h' = head;
//                    words of chunks that begin at h'−size+chunk or above are good
// Invariants: I1 Only the owner writes words, n and head.
//             I2 head ≤ tail + size, unless the tape overwrites.
//             I3 A chunk begins with Chunk, and no event lies in two chunks.
//             Not invariant: on an overwriting tape, that a word below head is the one that was
//             written there.
// Progress:   wait-free. An event that finds no room is counted and left out.
// Publish:    words before head; the reader's loads before tail
// ABA/memory: last compares h' with h. A word written while last reads spoils the word one size
//             below it. At the beginning of a chunk head is exchanged before the words that follow,
//             also on machines that reorder stores. So a reader that has seen a word of a chunk
//             finds head at the beginning of that chunk or later; for the words of Chunk itself,
//             one chunk earlier. Therefore last leaves out one chunk more. Its loads are atomic: a
//             plain load may happen after that of h'.
// Cost:       an event: two or three plain stores, one that publishes, and a reading of the clock
// Checked by: TestTape…, and FuzzEvents of package recording

// Tape is a ring of events with one writer at a time, the owner. Methods are for the owner unless
// they say otherwise.
type Tape struct {
	// immutable
	words      []atomics.RelaxedUint64
	mask       uint64
	overwrites bool
	clock      func() uint64
	counts     bool // the clock is the counter of package ticks
	names      *Names

	_      pad.Line
	n      uint64 // words written
	now    uint64 // the time of the last event
	codes  map[uintptr]uint16
	titles map[string]uint16
	called map[string]uint32
	lost   atomics.RelaxedUint64
	head   atomics.Release[uint64]
	_      pad.Line
	tail   atomics.Uint64 // written by the reader
	_      pad.Line
}

// NewTape returns a tape with room for at least the given number of words. A full tape drops new
// events; one that overwrites drops the oldest. A nil clock means that of package ticks.
func NewTape(words int, overwrites bool, clock func() uint64, names *Names) *Tape {
	size := 4 * chunk
	for size < words {
		size *= 2
	}
	counts := clock == nil && ticks.Counts()
	if clock == nil {
		clock = ticks.Now
	}
	return &Tape{
		counts: counts,
		words:  make([]atomics.RelaxedUint64, size), mask: uint64(size - 1), overwrites: overwrites, clock: clock, names: names,
		codes: map[uintptr]uint16{}, titles: map[string]uint16{}, called: map[string]uint32{},
	}
}

// Note records an event now, with as many of the words a and b as its kind has.
func (t *Tape) Note(k Kind, operation uint16, flag bool, a, b uint64) {
	now := uint64(0)
	if t.counts {
		now = ticks.Counter()
	} else {
		now = t.clock()
	}
	if now-t.now > ticksMask/2 {
		if !t.leap(now) {
			return
		}
		now = max(now, t.now)
	}
	t.now = now
	n := t.n
	if (n-1)&(chunk-1) > chunk-4 {
		if !t.turn(now) {
			return
		}
		n = t.n
	}
	w := uint64(k) | uint64(operation)<<operationShift | now<<ticksShift
	if flag {
		w |= flagBit
	}
	at := t.words[n&t.mask:]
	at = at[:3:3] // no chunk ends before
	at[0].Store(w)
	at[1].Store(a) // without such a word in the event, the next event overwrites it
	at[2].Store(b)
	n += 1 + uint64(extra[k&31])
	t.n = n
	if k != Send { // what follows a Send publishes it
		t.head.Store(n)
	}
}

// leap handles a time that the lowest bits cannot tell: the clock was read a little early, or
// nothing was recorded for long.
func (t *Tape) leap(now uint64) bool {
	return int64(now-t.now) < 0 || t.turn(now)
}

// Add records an event that belongs to the last one and has the same time.
func (t *Tape) Add(k Kind, flag bool, a, b uint64) {
	if (t.n-1)&(chunk-1) > chunk-4 && !t.turn(t.now) {
		return
	}
	w := uint64(k) | t.now<<ticksShift
	if flag {
		w |= flagBit
	}
	at := t.words[t.n&t.mask:]
	at = at[:3:3]
	at[0].Store(w)
	at[1].Store(a)
	at[2].Store(b)
	t.n += 1 + uint64(extra[k&31])
}

// Publish lets the reader see all events on the tape. The owner calls it if the tape may come to
// rest after a Send or an Add.
func (t *Tape) Publish() { t.head.Store(t.n) }

// turn begins a chunk. It reports whether there is room for one.
func (t *Tape) turn(now uint64) bool {
	next := (t.n + chunk - 1) &^ (chunk - 1)
	if !t.overwrites && next+chunk-t.tail.Load() > uint64(len(t.words)) {
		t.lost.Add(1)
		return false
	}
	for ; t.n < next; t.n++ {
		t.words[t.n&t.mask].Store(0)
	}
	t.words[t.n&t.mask].Store(uint64(Chunk) | now<<ticksShift)
	t.words[(t.n+1)&t.mask].Store(now)
	t.words[(t.n+2)&t.mask].Store(t.lost.Load())
	t.n += 1 + uint64(extra[Chunk])
	if t.overwrites {
		t.head.Swap(t.n) // not Store: words that follow may overtake it
	}
	return true
}

// Code returns the number of the operation that is the function at code.
func (t *Tape) Code(code uintptr) uint16 {
	n, ok := t.codes[code]
	if !ok {
		n = t.names.Code(code)
		t.codes[code] = n
	}
	return n
}

// Title returns the number of the activities with a name.
func (t *Tape) Title(name string) uint16 {
	n, ok := t.titles[name]
	if !ok {
		n = t.names.Title(name)
		if len(t.titles) >= mostCalled {
			clear(t.titles)
		}
		t.titles[name] = n
	}
	return n
}

// mostCalled limits the names that a tape remembers.
const mostCalled = 1 << 12

// Called records the name of the unit in the last event.
func (t *Tape) Called(name string) {
	n, ok := t.called[name]
	if !ok {
		n = t.names.Unit(name)
		if len(t.called) >= mostCalled {
			clear(t.called)
		}
		t.called[name] = n
	}
	t.Add(Name, false, uint64(n), 0)
}

// Lost returns the number of events that found no room. Any goroutine may call it.
func (t *Tape) Lost() uint64 { return t.lost.Load() }

// Drain appends to words those that were written since the last Drain. It is for one reader of a
// tape that does not overwrite.
func (t *Tape) Drain(words []uint64) []uint64 {
	tail, head := t.tail.Load(), t.head.Load()
	words = t.copy(words, tail, head)
	t.tail.Store(head)
	return words
}

// copy appends to words those from one position to another.
func (t *Tape) copy(words []uint64, from, to uint64) []uint64 {
	n := len(words)
	words = slices.Grow(words, int(to-from))[:n+int(to-from)]
	for rest := words[n:]; len(rest) > 0; {
		part := t.words[from&t.mask:]
		part = part[:min(len(part), len(rest))]
		for i := range part {
			rest[i] = part[i].LoadAcquire()
		}
		rest, from = rest[len(part):], from+uint64(len(part))
	}
	return words
}

// Last appends to words what an overwriting tape holds now, from the beginning of a chunk on. Any
// goroutine may call it.
func (t *Tape) Last(words []uint64) []uint64 {
	size, head := uint64(len(t.words)), t.head.Load()
	from := uint64(0)
	if head > size {
		from = (head - size + chunk - 1) &^ (chunk - 1)
	}
	start := len(words)
	words = t.copy(words, from, head)
	good := from
	if now := t.head.Load() + chunk; now > size {
		good = max(from, (now-size+chunk-1)&^(chunk-1)) // leaves out one chunk more
	}
	good = min(good, head)
	return append(words[:start], words[start+int(good-from):]...)
}
