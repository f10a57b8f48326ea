package partition

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Sketch:     an owner reads the checkpoint, and follows the log from there
//             a command that is taken is delivered to its unit, which has it done once its effect
//             is stored. Commands of one unit are delivered in the order of the log
//             what it has sent leaves for the logs of other partitions, in the order of the log:
//             when all before it are done, too
//             an entry is settled when it is done, what it has sent is accepted, and all before it
//             are settled. A checkpoint is the last entry that is
// Invariants: O1 What a checkpoint has behind it had its effect, and the logs have what it has
//             sent. So the log up to it is not needed any more, nor what records have of that.
//             O2 What operations of a partition send has the same number with all owners, since it
//             follows from the log and the records alone.
//             O3 A checkpoint may lag, and goes back never.

// Cells run commands on units.
type Cells interface {
	// Began tells that the owner has read its checkpoint, and follows the log.
	Began(o *Owner)
	// Deliver has a command run, once all that was delivered to its unit before has. Then the cell
	// calls Done or HadRun of the owner.
	Deliver(o *Owner, seq uint64, c *Command)
	// Repeat has the cell tell the outcome of a command again that was delivered before, to this
	// owner or to an earlier one.
	Repeat(o *Owner, c *Command)
	// Request has a command run that no log has. It may run before or after what was delivered.
	Request(o *Owner, r *Request)
	// Ended tells that the owner has ended. Its units are to be dropped: what they have not stored
	// is the next owner's.
	Ended(o *Owner)
}

// Owner is the owner of a partition, or a machine that believes to be it.
type Owner struct {
	p       int
	log     engine.Log
	world   World
	cells   Cells
	rules   rules
	stop    func() // ends to follow; nil while it does not
	phase   phase
	last    uint64 // that was read
	read    marks
	settled checkpoint
	stored  checkpointed
	queue   []*item // what was read and is not settled, in order
	emitted int     // of queue: what those have sent is in the lanes
	lanes   map[int]*lane
	heard   map[uint64]time.Time // when sessions were
	failed  func(err error)
	strange func(session uint64) // a command has come of one that is closed
	left    func()
	lost    bool // its cells do not know what the log has
	asked   int  // requests that run
	lag     lag
	pause   pause
	awake   time.Time // when the machine was awake for sure
	// The constants of these names; less in a simulation.
	keepForgotten         time.Duration
	mostQueued, mostUnder int
}

// phase is how far an owner is.
type phase byte

const (
	beginning phase = iota // it reads the checkpoint
	following
	holding // as following, but it reads no further until less is in the queue
	leaving // it reads no further, and settles what it has read
	ended
)

// item is an entry that was read, and is not settled.
type item struct {
	seq   uint64
	entry *Entry
	at    time.Time // when it was read
	done  bool
	sends []Send
	open  int // how many of them are not accepted
}

// mostQueued is how many entries are in the queue at most.
const mostQueued = 4096

// NewOwner makes an owner of a partition, for Begin. failed is told why it cannot go on: it has
// ended then.
func NewOwner(p int, log engine.Log, world World, cells Cells, failed func(err error)) *Owner {
	return &Owner{
		p: p, log: log, world: world, cells: cells, rules: sound{}, failed: failed, strange: func(uint64) {},
		lanes: map[int]*lane{}, heard: map[uint64]time.Time{},
		keepForgotten: KeepForgotten, mostQueued: mostQueued, mostUnder: mostUnder,
	}
}

// Begin has the owner read the checkpoint, and follow the log.
func (o *Owner) Begin() {
	o.awake = o.world.Now()
	o.log.Read(o.p, []byte(CheckpointKey), func(value []byte, revision uint64, err error) {
		o.world.Run(func() { o.begin(value, revision, err) })
	})
}

func (o *Owner) begin(value []byte, revision uint64, err error) {
	if o.phase != beginning {
		return
	}
	if errors.Is(err, engine.ErrUncertain) {
		o.world.After(o.pause.next(), o.Begin)
		return
	}
	c := newCheckpoint()
	if err == nil && value != nil {
		c, err = decodeCheckpoint(value)
	}
	if err != nil {
		o.fail(err)
		return
	}
	o.settled, o.read, o.last = c, c.marks.clone(), c.seq
	o.stored = checkpointed{revision: revision, seq: c.seq}
	now := o.world.Now()
	for name := range o.read.sessions {
		o.heard[name] = now
	}
	o.cells.Began(o)
	o.follow()
	o.world.After(checkpointEvery, o.checkpoints)
	o.world.After(closeAfter/10, o.closeIdle)
}

// follow reads the log on.
func (o *Owner) follow() {
	o.phase = following
	stopped := false
	stop := o.log.Follow(o.p, o.last, func(seq uint64, entry []byte) {
		o.world.Run(func() {
			if !stopped {
				o.reads(seq, entry)
			}
		})
	}, func(err error) {
		o.world.Run(func() {
			if !stopped {
				o.fail(err)
			}
		})
	})
	o.stop = func() { stopped = true; stop() }
}

// unfollow reads the log no further.
func (o *Owner) unfollow() {
	if o.stop != nil {
		o.stop()
		o.stop = nil
	}
}

// reads is called with the next entry.
func (o *Owner) reads(seq uint64, b []byte) {
	e, err := Decode(b)
	if err != nil {
		o.fail(err)
		return
	}
	o.last = seq
	v := o.read.read(seq, &e, o.rules)
	it := &item{seq: seq, entry: &e, at: o.world.Now(), done: v != taken}
	o.queue = append(o.queue, it)
	o.noteLag()
	switch {
	case e.Opening != nil:
		o.heard[seq] = o.world.Now()
	case e.Closing != nil:
		if o.read.sessions[e.Closing.Session] == nil {
			delete(o.heard, e.Closing.Session)
		}
	case v == strange:
		o.strange(e.Command.From.Session)
	default:
		if e.Command.From.Session != 0 {
			o.heard[e.Command.From.Session] = o.world.Now()
		}
		if v == repeated && !e.Command.Told && e.Command.From.Session != 0 {
			o.cells.Repeat(o, e.Command)
		}
	}
	if v == taken {
		o.cells.Deliver(o, seq, e.Command)
	}
	o.goOn()
	if len(o.queue) >= o.mostQueued && o.phase == following {
		o.unfollow()
		o.phase = holding
	}
}

// Done notes that a command has had its effect, which is stored, and what it has sent.
func (o *Owner) Done(seq uint64, sends []Send) {
	at, there := slices.BinarySearchFunc(o.queue, seq, func(it *item, seq uint64) int {
		if it.seq < seq {
			return -1
		} else if it.seq > seq {
			return 1
		}
		return 0
	})
	if !there || o.queue[at].done || o.phase == ended {
		return
	}
	o.queue[at].done, o.queue[at].sends = true, sends
	o.goOn()
}

// HadRun notes that a command had its effect before: r is the record of its unit.
func (o *Owner) HadRun(seq uint64, r *Record) { o.Done(seq, o.rules.resends(r, seq)) }

// goOn sends what may be sent, and settles what is.
func (o *Owner) goOn() {
	for o.emitted < len(o.queue) && o.queue[o.emitted].done {
		it := o.queue[o.emitted]
		o.emitted++
		it.open = len(it.sends)
		for i, s := range it.sends {
			o.laneTo(s.To).put(&Command{N: Number{it.seq, uint64(i + 1)}, Told: true, Unit: s.Unit, Body: s.Body}, func(err error) {
				if err == nil {
					it.open--
					o.settle()
				}
			})
		}
	}
	o.settle()
}

// settle settles what is at the head of the queue.
func (o *Owner) settle() {
	n := 0
	for n < o.emitted && (o.queue[n].open == 0 || !o.rules.waits()) {
		it := o.queue[n]
		o.settled.read(it, o.rules)
		n++
	}
	if n == 0 || o.phase == ended {
		return
	}
	o.queue = slices.Delete(o.queue, 0, n)
	o.emitted -= n
	o.noteLag()
	if o.phase == holding && len(o.queue) <= o.mostQueued/2 {
		o.follow()
	}
	o.mayLeave()
}

// mayLeave has an owner end that is to leave, once nothing of it is under way.
func (o *Owner) mayLeave() {
	if o.phase == leaving && len(o.queue) == 0 && o.asked == 0 {
		o.leaves()
	}
}

// laneTo returns the lane to a partition.
func (o *Owner) laneTo(p int) *lane {
	l := o.lanes[p]
	if l == nil {
		l = &lane{log: o.log, world: o.world, to: p, from: Source{Outbox: o.p}, last: o.settled.sent[p], most: o.mostUnder}
		o.lanes[p] = l
	}
	return l
}

// Stored returns the place of the stored checkpoint: what is up to there is not delivered again.
func (o *Owner) Stored() uint64 { return o.stored.seq }

// P returns the number of the partition.
func (o *Owner) P() int { return o.p }

// NodeOf returns the node that has opened a session; empty if the session is not open.
func (o *Owner) NodeOf(session uint64) string {
	if s := o.read.sessions[session]; s != nil {
		return s.node
	}
	return ""
}

// Trim removes what a record does not need any more: outcomes whose senders have them, and what
// was sent by entries that are behind the stored checkpoint. Before each write of it.
func (o *Owner) Trim(r *Record) {
	r.Outcomes = slices.DeleteFunc(r.Outcomes, func(out Outcome) bool {
		return out.Session <= o.last && o.rules.cuts(&o.read, &out) // it knows no later ones
	})
	r.Sends = slices.DeleteFunc(r.Sends, func(s Send) bool { return s.Seq <= o.stored.seq })
}

// MayGo reports whether the record of a unit that was forgotten may be removed: nothing in it is
// needed, and no write is under way any more that expects that there is none.
func (o *Owner) MayGo(r *Record) bool {
	return !r.Forgotten.IsZero() && r.Last <= o.stored.seq && len(r.Outcomes) == 0 && len(r.Sends) == 0 &&
		o.world.Now().Sub(r.Forgotten) > o.keepForgotten
}

// MayWrite reports whether what the owner knows is fresh enough to write a record that was not
// there: not if the machine has slept, and the record may have come and gone meanwhile. Then the
// owner ends.
func (o *Owner) MayWrite() bool {
	if o.phase != ended && o.world.Now().Sub(o.awake) > o.keepForgotten/3 {
		o.fail(errSlept)
	}
	return o.phase != ended
}

var (
	errSlept = errors.New("the machine has slept")
	errEnded = errors.New("the owner has ended")
)

// KeepForgotten is how long the record of a unit that was forgotten stays: more than three times as
// long as a write is under way whose caller has given it up (engine.Log).
const KeepForgotten = 4 * time.Hour

// closeAfter is how long a session may have no entry.
const closeAfter = 10 * time.Minute

// closeIdle closes sessions of which nothing was heard.
func (o *Owner) closeIdle() {
	if o.phase == ended {
		return
	}
	now := o.world.Now()
	for _, name := range slices.Sorted(maps.Keys(o.heard)) { // so that a seed repeats it
		if now.Sub(o.heard[name]) > closeAfter {
			o.heard[name] = now // tried again if this one does not come
			e := Entry{Closing: &Closing{name, o.last}}
			o.log.Append(o.p, e.Encode(), func(uint64, error) {})
		}
	}
	o.world.After(closeAfter/10, o.closeIdle)
}

// Leave has the owner read no further, settle what it has read, have requests end, and write a last
// checkpoint. done is called then: the next owner has nothing to do again.
func (o *Owner) Leave(done func()) {
	if o.phase == ended || o.phase == leaving {
		return
	}
	o.unfollow()
	if o.phase == beginning {
		o.End()
		done()
		return
	}
	o.phase, o.left = leaving, done
	o.mayLeave()
}

func (o *Owner) leaves() {
	o.store(func() {
		if o.phase == leaving {
			done := o.left
			o.End()
			done()
		}
	})
}

// End has the owner do nothing any more: another one is there, or the machine stops.
func (o *Owner) End() {
	o.unfollow()
	o.phase = ended
	for _, l := range o.lanes {
		l.end(errEnded)
	}
}

// Fail ends the owner, which cannot go on: its cells do not know what the log has. The machine
// declines the partition for a while.
func (o *Owner) Fail(err error) {
	o.lost = true
	o.fail(err)
}

func (o *Owner) fail(err error) {
	if o.phase != ended {
		o.End()
		o.failed(err)
	}
}
