package linear

import (
	"cmp"
	"math"
	"slices"

	"github.com/freerun-go/freerun/internal/sys/pad"
)

// A Verb is the method of a container that was called.
type Verb uint8

// The verbs. Queues have the first two, stacks Push and Pop, deques the three from Push on. The
// others are observers, which change nothing, and any container may have them. Peek answers with an
// item that stays in the container. Room and Stock are no methods: they record that a call that
// moved fewer items than asked has found room for no more, or no more items.
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

// A Call is a verb with its argument. Value matters to verbs that add; the values added in one
// history must differ. Busy means that a refusal need not be true if a call of the other side was
// under way during the call.
type Call struct {
	Verb  Verb
	Value int
	Busy  bool
}

// An Answer is the result of a call. OK is true if the call did what was asked. Value is the item
// that was removed, or the number that an observer returned. Lost is for thieves only: the call
// took no item, and does not say that there was none.
type Answer struct {
	Value int
	OK    bool
	Lost  bool
}

// An Operation is a call with its answer. It took effect between the instants Begin and End. An
// operation whose End is less than this one's Begin came before it. The operations of one client
// took effect in their order even if they overlap; they overlap if they are parts of one call, or
// if the end of a call was noted late. Joined means that the client's next operation took effect at
// the same instant.
type Operation struct {
	Client     int
	Call       Call
	Answer     Answer
	Begin, End int64
	Joined     bool
}

// A Recorder records the history of goroutines, or of the explorer's model threads. Its clock is
// one atomic variable; it is read when a call begins and incremented when the call has ended.
type Recorder struct {
	clock   clock
	clients []Client
}

// A Client records the calls of one thread. Only that thread may use it, one call at a time.
type Client struct {
	_          pad.Line
	recorder   *Recorder
	number     int
	operations []Operation
	closed     int // number of operations that have an End
	_          pad.Line
}

// NewRecorder returns a recorder with a number of clients.
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
	return c.recorder.clock.now() + 1 // greater than each End so far: those calls came before
}

// End records a call that has ended. begin is the instant that Begin returned for it.
func (c *Client) End(begin int64, call Call, answer Answer) {
	c.operations = append(c.operations, Operation{Client: c.number, Call: call, Answer: answer, Begin: begin, End: open})
	c.close(false)
}

// Done ends the recording of a model thread that makes no more calls.
func (c *Client) Done() { c.close(true) }

// open is the End of a call whose model thread still has stores in its store buffer. Another thread
// can learn that the call has ended only from a later store of the thread, and sees that after the
// buffered ones. A tick would make the thread wait until its buffer is empty, and would hide the
// errors that appear when the next call does not wait.
const open = math.MaxInt64

// close ends the open calls. Unless atOnce is set, they stay open while the thread has buffered
// stores.
func (c *Client) close(atOnce bool) {
	if c.closed == len(c.operations) || unseen() && !atOnce {
		return
	}
	end := c.recorder.clock.tick()
	for ; c.closed < len(c.operations); c.closed++ {
		c.operations[c.closed].End = end
	}
}

// Enqueue records a call that adds v to a queue and reports whether it did.
func (c *Client) Enqueue(v int, enqueue func(v int) bool) bool { return c.add(Enqueue, v, enqueue) }

// Dequeue records a call that takes an item out of a queue, or reports that there is none.
func (c *Client) Dequeue(dequeue func() (int, bool)) (int, bool) { return c.remove(Dequeue, dequeue) }

// Push is Enqueue for stacks and deques.
func (c *Client) Push(v int, push func(v int) bool) bool { return c.add(Push, v, push) }

// Pop is Dequeue for stacks and the owners of deques.
func (c *Client) Pop(pop func() (int, bool)) (int, bool) { return c.remove(Pop, pop) }

// Steal records a call of a thief. If the thief lost a race, lost is true and the call says nothing
// about the deque.
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

// History returns the recorded calls in the order in which they ended. No client may be recording.
func (r *Recorder) History() History {
	var h History
	for i := range r.clients {
		h = append(h, r.clients[i].operations...)
	}
	slices.SortStableFunc(h, func(a, b Operation) int { return cmp.Compare(a.End, b.End) })
	return h
}
