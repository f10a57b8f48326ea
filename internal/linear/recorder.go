package linear

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/freerun-go/freerun/internal/pad"
)

// A Verb is what a container was asked to do.
type Verb uint8

// The verbs. Queues know the first two; stacks Push and Pop; deques the last three.
const (
	Enqueue Verb = iota
	Dequeue
	Push
	Pop
	Steal
)

var verbs = [...]string{"Enqueue", "Dequeue", "Push", "Pop", "Steal"}

func (v Verb) String() string { return verbs[v] }

func (v Verb) adds() bool { return v == Enqueue || v == Push }

// A Call is what went in: Value matters to verbs that add. Values must be different from each other within one history.
type Call struct {
	Verb  Verb
	Value int
}

// An Answer is what came out. OK is true if the call did what was asked; Value is the item that was removed, if it was. Lost
// is for thieves only: the call neither took anything nor says that there was nothing.
type Answer struct {
	Value int
	OK    bool
	Lost  bool
}

// An Operation is a call with its answer. It took effect after the instant Begin and before the instant End: another operation came
// before it if its End is less than this one's Begin.
type Operation struct {
	Client     int
	Call       Call
	Answer     Answer
	Begin, End int64
}

// A Recorder takes a history. It works for goroutines and for model threads alike, as it has no scheduling points: its clock is one
// atomic variable of sync/atomic itself, which a call reads when it begins and increments when it has ended.
type Recorder struct {
	clock   atomic.Int64
	clients []Client
}

// A Client records the calls of one thread, which alone may use it, one call at a time.
type Client struct {
	_          pad.Line
	recorder   *Recorder
	number     int
	operations []Operation
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
func (c *Client) Begin() int64 { return c.recorder.clock.Load() + 1 } // past every End that was handed out: those calls came before

// End records a call that began at an instant that Begin returned, and has ended.
func (c *Client) End(begin int64, call Call, answer Answer) {
	end := c.recorder.clock.Add(1)
	c.operations = append(c.operations, Operation{Client: c.number, Call: call, Answer: answer, Begin: begin, End: end})
}

// Enqueue records a call that adds v to a queue and says whether it did.
func (c *Client) Enqueue(v int, enqueue func(v int) bool) bool { return c.add(Enqueue, v, enqueue) }

// Dequeue records a call that takes an item out of a queue, or says that there is none.
func (c *Client) Dequeue(dequeue func() (int, bool)) (int, bool) { return c.remove(Dequeue, dequeue) }

// Push is Enqueue for stacks and deques.
func (c *Client) Push(v int, push func(v int) bool) bool { return c.add(Push, v, push) }

// Pop is Dequeue for stacks and the owners of deques.
func (c *Client) Pop(pop func() (int, bool)) (int, bool) { return c.remove(Pop, pop) }

// Steal records a call of a thief. If it lost a race, lost is true and nothing is known of the deque.
func (c *Client) Steal(steal func() (v int, ok, lost bool)) (v int, ok, lost bool) {
	begin := c.Begin()
	v, ok, lost = steal()
	c.End(begin, Call{Verb: Steal}, Answer{v, ok, lost})
	return v, ok, lost
}

func (c *Client) add(verb Verb, v int, add func(v int) bool) bool {
	begin := c.Begin()
	ok := add(v)
	c.End(begin, Call{verb, v}, Answer{OK: ok})
	return ok
}

func (c *Client) remove(verb Verb, remove func() (int, bool)) (int, bool) {
	begin := c.Begin()
	v, ok := remove()
	if !ok {
		v = 0
	}
	c.End(begin, Call{Verb: verb}, Answer{Value: v, OK: ok})
	return v, ok
}

// History returns the calls that have ended, in the order in which they did. No client may be recording.
func (r *Recorder) History() History {
	var h History
	for i := range r.clients {
		h = append(h, r.clients[i].operations...)
	}
	slices.SortFunc(h, func(a, b Operation) int { return cmp.Compare(a.End, b.End) })
	return h
}
