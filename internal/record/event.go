package record

// Kind says what happened.
type Kind uint8

// The kinds of events, with the words that follow the first. message and unit are addresses.
const (
	Pad       Kind = iota // nothing up to the end of the chunk
	Chunk                 // ticks, lost so far: a reader may begin here
	Begin                 // message, unit: Operation begins; Flag: it is the first one of the unit
	End                   // message: it has returned without a processor
	Pause                 // the processor has nothing to run for now
	Send                  // message, unit
	Need                  // message, message: the first needs the outcome of the second
	Ready                 // message
	Fulfilled             // message
	Seen                  // message
	Branch                // message: the one with the branch; Flag: an operation waits below it
	BranchEnd             //
	In                    // message: it gets the processor: an activity, or after a join
	Out                   // message: it loses the processor
	Steal                 // victim<<32 | tasks
	Search                //
	SearchEnd             // Flag: it has found something
	Park                  //
	Unpark                //
	Leave                 // message, identity: it goes on on that goroutine, without a processor
	Back                  // message: the work for which it left its processor is done
	With                  // unit: one more of the operation that has just begun; Flag as for Begin
	Name                  // number: the name of the unit in the last event
	Goroutine             // identity: the goroutine of the events that follow, outside
	Timer                 // message, unit: a timer is set, which will send it or fulfil it
	Fire                  // message: the timer of it fires; a Send by the same goroutine follows
	Kinds                 // the number of kinds
)

// extra is the number of words after the first.
var extra = [32]uint8{
	Chunk: 2, Begin: 2, End: 1, Send: 2, Need: 2, Ready: 1, Fulfilled: 1, Seen: 1, Branch: 1, In: 1, Out: 1, Steal: 1, Leave: 2, Back: 1,
	With: 1, Name: 1, Goroutine: 1, Timer: 2, Fire: 1,
}

// The first word: kind | flag<<6 | operation<<8 | ticks<<24. It has the lowest 40 bits of the
// ticks; the reader knows the rest from the event before.
const (
	flagBit        = 1 << 6
	operationShift = 8
	ticksShift     = 24
	ticksMask      = 1<<(64-ticksShift) - 1

	// MostOperations limits the operations that can be told apart.
	MostOperations = 1 << (ticksShift - operationShift)
)

// Event is an event as a reader gets it.
type Event struct {
	Kind      Kind
	Flag      bool
	Operation uint16
	Ticks     uint64
	A, B      uint64
}

// Reader reads the events of one tape.
type Reader struct {
	words []uint64
	ticks uint64
	known bool // ticks is valid
}

// NewReader returns a reader of the words of one tape, which begin with a chunk.
func NewReader(words []uint64) *Reader { return &Reader{words: words} }

// More appends words that the reader goes on with.
func (r *Reader) More(words []uint64) { r.words = append(r.words, words...) }

// Next returns the next event. ok is false if none is left, or if the next words are no event;
// [Reader.Broken] tells which.
func (r *Reader) Next() (e Event, ok bool) {
	for len(r.words) > 0 {
		w := r.words[0]
		k := Kind(w & (flagBit - 1))
		if w == 0 {
			r.words = r.words[1:]
			continue
		}
		n := 1
		if k < Kinds {
			n += int(extra[k])
		}
		if k == Pad || k >= Kinds || n > len(r.words) || !r.known && k != Chunk {
			return Event{}, false
		}
		e = Event{Kind: k, Flag: w&flagBit != 0, Operation: uint16(w >> operationShift)}
		if n > 1 {
			e.A = r.words[1]
		}
		if n > 2 {
			e.B = r.words[2]
		}
		if k == Chunk {
			r.ticks, r.known = e.A, true
		}
		r.ticks += (w>>ticksShift - r.ticks) & ticksMask
		e.Ticks = r.ticks
		r.words = r.words[n:]
		return e, true
	}
	return Event{}, false
}

// Broken reports whether words are left that are no event.
func (r *Reader) Broken() bool { return len(r.words) > 0 }
