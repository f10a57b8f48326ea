package linear

import (
	"cmp"
	"math"
	"slices"

	"github.com/freerun-go/freerun/internal/sys/pad"
)

// A Verb is what a container was asked to do.
type Verb uint8

// The verbs. Queues know the first two; stacks Push and Pop; deques the three from Push on.
// Observers change nothing, and any container has them: Len and Empty are what their names say;
// Peek answers with an item that stays; Room and Stock are what a call that moved fewer items than
// it was asked to has said besides: that there was room for no more, or that there were no more.
const (
	Enqueue Verb = iota
	Dequeue
	Push
	Pop
	Steal
	Len
	Empty
	Peek
	Room
	Stock
)

var verbs = [...]string{"Enqueue", "Dequeue", "Push", "Pop", "Steal", "Len", "Empty", "Peek", "Room", "Stock"}

func (v Verb) String() string { return verbs[v] }

func (v Verb) adds() bool { return v == Enqueue || v == Push }

func (v Verb) removes() bool { return v == Dequeue || v == Pop || v == Steal }

// A Call is what went in: Value matters to verbs that add. Values must be different from each other
// within one history. Busy means that the refusal of an item, or of room, need not be true if a
// call of the other side was under way beside it.
type Call struct {
	Verb  Verb
	Value int
	Busy  bool
}

// An Answer is what came out. OK is true if the call did what was asked; Value is the item that was
// removed, if it was, or the number that an observer gave. Lost is for thieves only: the call
// neither took anything nor says that there was nothing.
type Answer struct {
	Value int
	OK    bool
	Lost  bool
}

// An Operation is a call with its answer. It took effect after the instant Begin and before the
// instant End: another operation came before it if its End is less than this one's Begin. Those of
// one client took effect in their order, even if they overlap: as parts of one call, or because the
// end of a call was noted late. Joined means that the client's next operation took effect at the
// same instant.
type Operation struct {
	Client     int
	Call       Call
	Answer     Answer
	Begin, End int64
	Joined     bool
}

// A Recorder takes a history, of goroutines or of the explorer's model threads. Its clock is one
// atomic variable, which is read when a call begins and incremented when it has ended.
type Recorder struct {
	clock   clock
	clients []Client
}

// A Client records the calls of one thread, which alone may use it, one call at a time.
type Client struct {
	_          pad.Line
	recorder   *Recorder
	number     int
	operations []Operation
	closed     int // how many of them have an End
	_          pad.Line
}

// NewRecorder returns a recorder for so many clients.
func NewRecorder(clients int) *Recorder {
	r := &Recorder{clients: make([]Client, clients)}
	for i := range r.clients {
		r.clients[i].recorder, r.clients[i].number = r, i
		r.clients[i].operations = make([]Operation, 0, 8)
	}
	return r
}

// Client returns a client by its number, counted from 0.
func (r *Recorder) Client(number int) *Client { return &r.clients[number] }

// Begin returns the instant at which a call begins, for End.
func (c *Client) Begin() int64 {
	c.close(false)
	return c.recorder.clock.now() + 1 // past every End that was handed out: those calls came before
}

// End records a call that began at an instant that Begin returned, and has ended.
func (c *Client) End(begin int64, call Call, answer Answer) {
	c.operations = append(c.operations, Operation{Client: c.number, Call: call, Answer: answer, Begin: begin, End: open})
	c.close(false)
}

// Done is for model threads that make no more calls.
func (c *Client) Done() { c.close(true) }

// open is the End of a call of a model thread some of whose stores are still in its store buffer.
// Another thread could know that the call has ended only by what the thread stores afterwards,
// which it sees after those. Ticking would make the thread wait for them, and hide what can go
// wrong if its next call does not.
const open = math.MaxInt64

// close ends the calls that are open, at once or if nothing keeps them open.
func (c *Client) close(atOnce bool) {
	if c.closed == len(c.operations) || unseen() && !atOnce {
		return
	}
	end := c.recorder.clock.tick()
	for ; c.closed < len(c.operations); c.closed++ {
		c.operations[c.closed].End = end
	}
}

// Enqueue records a call that adds v to a queue and says whether it did.
func (c *Client) Enqueue(v int, enqueue func(v int) bool) bool { return c.add(Enqueue, v, enqueue) }

// Dequeue records a call that takes an item out of a queue, or says that there is none.
func (c *Client) Dequeue(dequeue func() (int, bool)) (int, bool) { return c.remove(Dequeue, dequeue) }

// Push is Enqueue for stacks and deques.
func (c *Client) Push(v int, push func(v int) bool) bool { return c.add(Push, v, push) }

// Pop is Dequeue for stacks and the owners of deques.
func (c *Client) Pop(pop func() (int, bool)) (int, bool) { return c.remove(Pop, pop) }

// Steal records a call of a thief. If it lost a race, lost is true and nothing is known of the
// deque.
func (c *Client) Steal(steal func() (v int, ok, lost bool)) (v int, ok, lost bool) {
	begin := c.Begin()
	v, ok, lost = steal()
	c.End(begin, Call{Verb: Steal}, Answer{Value: v, OK: ok, Lost: lost})
	return v, ok, lost
}

func (c *Client) add(verb Verb, v int, add func(v int) bool) bool {
	begin := c.Begin()
	ok := add(v)
	c.End(begin, Call{Verb: verb, Value: v}, Answer{OK: ok})
	return ok
}

func (c *Client) remove(verb Verb, remove func() (int, bool)) (int, bool) {
	begin := c.Begin()
	v, ok := remove()
	c.End(begin, Call{Verb: verb}, Answer{Value: v, OK: ok})
	return v, ok
}

// History returns the calls that have returned, in the order in which they ended. No client may be
// recording.
func (r *Recorder) History() History {
	var h History
	for i := range r.clients {
		h = append(h, r.clients[i].operations...)
	}
	slices.SortStableFunc(h, func(a, b Operation) int { return cmp.Compare(a.End, b.End) })
	return h
}
