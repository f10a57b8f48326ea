package record

// Kind is what an event is about.
type Kind uint8

// The kinds of events, and their words after the first. message and unit are addresses.
const (
	Pad       Kind = iota // nothing, to the end of the chunk
	Chunk                 // ticks, lost: where reading may begin; how many events were lost so far
	Begin                 // message, unit: an operation begins, with Operation; Flag: it is the unit's first one
	End                   // message: it has returned, and not on a processor
	Pause                 // the processor stops doing what it did
	Send                  // message, unit
	Need                  // message, message: the first needs the outcome of the second
	Ready                 // message
	Fulfilled             // message
	Seen                  // message
	Branch                // message: of whose operation it is; Flag: another operation waits below it on the stack
	BranchEnd             //
	In                    // message: an activity has the processor, or an operation that has waited in a join has one again
	Out                   // message: it has it no more
	Steal                 // victim<<32 | tasks
	Search                //
	SearchEnd             // Flag: it has found something
	Park                  //
	Unpark                //
	Leave                 // message, identity: it leaves its processor, and goes on on that goroutine
	Back                  // message: it is done with what it left its processor for
	With                  // unit: one more of the operation that has just begun; Flag as for Begin
	Name                  // number: the name of the unit that was last spoken of
	Goroutine             // identity: of who does what comes next, outside
	Kinds                 // how many there are
)

// extra is how many words follow the first.
var extra = [32]uint8{
	Chunk: 2, Begin: 2, End: 1, Send: 2, Need: 2, Ready: 1, Fulfilled: 1, Seen: 1, Branch: 1, In: 1, Out: 1, Steal: 1, Leave: 2, Back: 1,
	With: 1, Name: 1, Goroutine: 1,
}

// The first word: kind | flag<<6 | operation<<8 | ticks<<24. Of the ticks there are the lowest 40 bits; whoever reads knows the rest from the event before.
const (
	flagBit        = 1 << 6
	operationShift = 8
	ticksShift     = 24
	ticksMask      = 1<<(64-ticksShift) - 1

	// MostOperations is how many operations can be told apart.
	MostOperations = 1 << (ticksShift - operationShift)
)

// Event is an event as it is read.
type Event struct {
	Kind      Kind
	Flag      bool
	Operation uint16
	Ticks     uint64
	A, B      uint64
}

// Reader takes events out of what was on one tape.
type Reader struct {
	words []uint64
	ticks uint64
	known bool // ticks is
}

// NewReader returns a reader of the words of one tape, which begin with a chunk.
func NewReader(words []uint64) *Reader { return &Reader{words: words} }

// More has the reader go on with words that come after those that it has.
func (r *Reader) More(words []uint64) { r.words = append(r.words, words...) }

// Next returns the next event; false if there is none left, or what comes next is no event: then [Reader.Broken] is true.
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

// Broken reports whether there is something left that is no event.
func (r *Reader) Broken() bool { return len(r.words) > 0 }
