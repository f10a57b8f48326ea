package partition

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// cell is a unit of the simulation at one machine. It does what a durable unit does: it runs
// commands one after another, writes what has run together, and then tells the outcomes.
type cell struct {
	node    *node
	unit    string
	p       int
	dead    bool
	loaded  bool
	busy    bool // it is read or written
	state   state
	rec     Record // as stored
	rev     uint64
	queue   []*job
	ran     []*job // in the write under way, or the next one
	next    Record
	working state
}

// state holds the balance of a unit.
type state struct {
	Balance int
	Ran     int
	// Batch has the commands of the last write, for the truth.
	Batch []string
}

// job is a command for a cell; one with seq 0 is about an outcome, or a request.
type job struct {
	owner   *Owner
	seq     uint64
	command *Command
	request *Request // nil for others
	outcome string
	sends   []Send
	tries   int
	// A request that was in a write whose outcome is not known: its name, and the revision that it
	// expected.
	write string
	base  uint64
}

func (j *job) body() []byte {
	if j.request != nil {
		return j.request.Body
	}
	return j.command.Body
}

// order tells a unit to pay, to get, to add, or to forget.
type order struct {
	ID   string
	Do   string // pay, get, add, forget
	To   string // pays
	From string // a pay's unit, for the order of what that sends
	Sum  int
}

func (o order) body() []byte {
	b, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return b
}

const (
	mostTries = 3
	refused   = "refused"
)

func (c *cell) deliver(j *job) {
	c.queue = append(c.queue, j)
	if c.node.sim.flaw == overtakes && len(c.queue) > 1 && c.node.sim.random.IntN(8) == 0 {
		slices.Reverse(c.queue[len(c.queue)-2:])
	}
	c.goOn(j.owner)
}

// goOn runs what waits, and writes it.
func (c *cell) goOn(o *Owner) {
	switch {
	case c.dead || c.busy:
		return
	case !c.loaded:
		c.load(o)
		return
	}
	if tidy := c.rec; c.mayGo(o, &tidy) {
		c.remove(o)
		return
	}
	c.next, c.working = c.rec, c.state
	c.next.Outcomes, c.next.Sends = slices.Clone(c.rec.Outcomes), slices.Clone(c.rec.Sends)
	c.working.Batch = nil
	for len(c.queue) > 0 {
		j := c.queue[0]
		if j.request == nil && (j.seq == 0 || c.rec.Has(j.seq)) && len(c.ran) > 0 {
			break // once that is written
		}
		c.queue = c.queue[1:]
		switch {
		case j.request != nil:
			c.runRequest(j)
		case j.seq == 0:
			c.answerAgain(j)
		case c.rec.Has(j.seq):
			j.owner.HadRun(j.seq, &c.rec)
			c.answerAgain(j)
		default:
			c.run(j)
		}
	}
	if len(c.ran) > 0 {
		c.write(o)
	}
}

func (c *cell) answerAgain(j *job) {
	if value, there := c.rec.Outcome(j.command.From.Session, j.command.N); there {
		c.node.Answer(j.owner, j.command, value)
	}
}

// runRequest runs a request, unless it is not known whether it was run.
func (c *cell) runRequest(j *job) {
	switch {
	case j.write == "" || c.node.sim.flaw == runsAgain:
	case j.write == c.rec.Write: // that write was made after all
		j.request.Reply([]byte(j.outcome), nil)
		return
	case j.base != c.rev: // another one came behind it, or in its place
		j.request.Reply(nil, engine.ErrUncertain)
		return
	}
	before := c.working
	before.Batch = slices.Clone(before.Batch)
	forgotten := c.next.Forgotten
	c.run(j)
	if len(j.sends) > 0 { // what is sent has the number of an entry: it goes through the log
		c.working, c.next.Forgotten = before, forgotten
		c.ran = c.ran[:len(c.ran)-1]
		if j.write != "" { // R3
			j.request.Reply(nil, engine.ErrUncertain)
			return
		}
		c.node.Machine.Send(c.unit, j.request.Body, func(error) {}, j.request.Reply)
	}
}

// run runs a command.
func (c *cell) run(j *job) {
	s := c.node.sim
	var o order
	if err := json.Unmarshal(j.body(), &o); err != nil {
		panic(err)
	}
	for j.tries = 0; s.happens(s.rates.panics); {
		if j.tries++; j.tries == mostTries {
			c.refuse(j, o)
			return
		}
	}
	j.sends = nil
	j.outcome = fmt.Sprint(c.working.Ran)
	c.working.Ran++
	c.working.Batch = append(c.working.Batch, o.ID)
	switch o.Do {
	case "pay":
		c.working.Balance -= o.Sum
		get := order{ID: o.ID + ">", Do: "get", Sum: o.Sum, From: c.unit}
		j.sends = []Send{{To: s.partitionOf(o.To), Unit: o.To, Body: get.body()}}
	case "get":
		c.working.Balance += o.Sum
	case "forget":
		// What it had goes elsewhere, so that the sum stays.
		get := order{ID: o.ID + ">", Do: "get", Sum: c.working.Balance, From: c.unit}
		j.sends = []Send{{To: s.partitionOf("bank"), Unit: "bank", Body: get.body()}}
		c.working = state{Batch: c.working.Batch}
	}
	c.next.Forgotten = time.Time{}
	if o.Do == "forget" {
		c.next.Forgotten = c.node.Now()
	}
	c.hasRun(j)
	if s.flaw == answersEarly {
		c.tells(j)
	}
}

func (c *cell) hasRun(j *job) {
	if j.request == nil {
		c.next.Ran(j.seq, j.command, []byte(j.outcome), j.sends)
	}
	c.ran = append(c.ran, j)
}

// tells tells the outcome of what has run.
func (c *cell) tells(j *job) {
	if j.request != nil {
		j.request.Reply([]byte(j.outcome), nil)
		return
	}
	c.node.Answer(j.owner, j.command, []byte(j.outcome))
}

// refuse has a command fail for good.
func (c *cell) refuse(j *job, o order) {
	j.outcome, j.sends = refused, nil
	if c.node.sim.flaw == omits && j.request == nil {
		j.owner.Done(j.seq, nil)
		c.tells(j)
		return
	}
	c.working.Batch = append(c.working.Batch, o.ID+"!")
	c.hasRun(j)
}

// write writes what has run.
func (c *cell) write(o *Owner) {
	if !o.MayWrite() {
		return
	}
	c.busy = true
	o.Trim(&c.next)
	c.next.Write = ""
	if slices.ContainsFunc(c.ran, func(j *job) bool { return j.request != nil }) {
		c.node.writes++
		c.next.Write = fmt.Sprint(c.node.name, "/", c.node.writes)
	}
	state, err := json.Marshal(c.working)
	if err != nil {
		panic(err)
	}
	value := c.next.Append(nil)
	value = append(value, state...)
	if c.node.sim.flaw == noTombstone && !c.next.Forgotten.IsZero() {
		value = nil
	}
	c.node.port.Swap(c.p, []engine.Write{{Key: []byte(c.unit), Value: value}}, c.rev, func(revision uint64, err error) {
		if c.dead {
			return
		}
		c.busy = false
		if err != nil {
			if errors.Is(err, engine.ErrUncertain) {
				for _, j := range c.ran {
					j.write, j.base = c.next.Write, c.rev
				}
			}
			c.undo()
			c.goOn(o)
			return
		}
		c.rec, c.state, c.rev = c.next, c.working, revision
		if value == nil {
			c.rec, c.rev = Record{}, 0
		}
		ran := c.ran
		c.ran = nil
		for _, j := range ran {
			if j.request == nil {
				j.owner.Done(j.seq, j.sends)
			}
			c.tells(j)
		}
		c.goOn(o)
	})
}

// undo has all that is not known to be written run again on what is stored.
func (c *cell) undo() {
	c.loaded = false
	c.queue = append(c.ran, c.queue...)
	c.ran = nil
}

// load reads the record.
func (c *cell) load(o *Owner) {
	c.busy = true
	c.node.port.Read(c.p, []byte(c.unit), func(value []byte, revision uint64, err error) {
		if c.dead {
			return
		}
		c.busy = false
		switch {
		case errors.Is(err, engine.ErrUncertain):
			c.goOn(o)
			return
		case value == nil:
			c.rec, c.state, c.rev, c.loaded = Record{}, state{}, 0, true
			c.goOn(o)
			return
		}
		c.decode(value)
		c.rev, c.loaded = revision, true
		c.goOn(o)
	})
}

func (c *cell) mayGo(o *Owner, r *Record) bool {
	if c.node.sim.flaw == removesEarly {
		return !r.Forgotten.IsZero()
	}
	r.Outcomes, r.Sends = slices.Clone(r.Outcomes), slices.Clone(r.Sends)
	o.Trim(r)
	return o.MayGo(r)
}

// remove removes the record of a unit that was forgotten.
func (c *cell) remove(o *Owner) {
	if !o.MayWrite() {
		return
	}
	c.node.sim.removed++
	c.busy = true
	c.node.port.Swap(c.p, []engine.Write{{Key: []byte(c.unit)}}, c.rev, func(uint64, error) {
		if !c.dead {
			c.busy, c.loaded = false, false
			c.goOn(o)
		}
	})
}

// ends ends a cell whose partition the machine does not own any more.
func (c *cell) ends() {
	c.dead = true
	for _, j := range append(c.ran, c.queue...) {
		switch {
		case j.request == nil:
		case j.write == "" && !slices.Contains(c.ran, j):
			j.request.Reply(nil, ErrNotRun)
		default:
			j.request.Reply(nil, engine.ErrUncertain)
		}
	}
}

func (c *cell) decode(value []byte) {
	rec, rest, err := DecodeRecord(value)
	if err != nil {
		panic(err)
	}
	c.rec, c.state = rec, state{}
	if err := json.Unmarshal(rest, &c.state); err != nil {
		panic(err)
	}
}
