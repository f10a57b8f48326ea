package partition

import (
	"errors"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Sketch:     a machine beats, and hears the beats of others: they are the members
//             it owns the partitions that are its own by the members (OwnerOf), and leaves those
//             that are not any more
//             it hears its own beats, too: one that was cut off owns anew what it owns
//             it has a session to each partition, through which its units send, and through which
//             the outcomes come back
// Invariants: Each partition has a turn of its own on each machine, in which its session and its
//             owner run. The members have another one.

// Bus carries messages between machines, each at most once. It does not wait.
type Bus interface {
	// Send sends a message to a machine, or to all of them, this one too, if to is empty.
	Send(to string, message []byte)
}

// Machine is one process among those that share the partitions.
type Machine struct {
	name    string
	log     engine.Log
	bus     Bus
	world   World
	cells   Cells
	members Members
	// declined has until when the machine declines partitions. The members' turn.
	declined map[int]time.Time
	pauses   map[int]time.Duration // how long it declines next
	parts    []*part
	leaving  bool
	ended    bool
	seen     atomic.Pointer[View] // what it knew when it has looked last
	// The requests that wait for their replies, in the turn of the members.
	asks     map[uint64]*inquiry
	asked    []kept // of them, by partition
	lastCall uint64
	stopped  error     // why the store takes nothing any more; nil if that is not known
	ownBeat  time.Time // when the last beat of this machine has come back
	looked   func(v *View)
	received func(b []byte)
	// tune is called with each owner before that begins; nil but in tests.
	tune func(o *Owner)
	// The constant mostKept; less in a test.
	mostAsked kept
}

// part is what a machine has of one partition. Only its turn uses it.
type part struct {
	machine *Machine
	p       int
	world   World
	session *Session
	owner   *Owner               // nil if this machine does not own it
	leaves  bool                 // the owner is leaving
	left    func()               // called when it has left; nil for none
	ended   bool                 // the machine owns nothing any more
	runs    map[askedBy]struct{} // requests
	// An owner that has failed is followed by another one, later each time: it may know no more of
	// what the log has.
	began, again time.Time
	pause        pause
}

// NewMachine makes a machine. Its name is one that no process has had before. worlds returns the
// turn of a partition; world is that of the members.
func NewMachine(name string, partitions int, log engine.Log, bus Bus, world World, worlds func(p int) World, cells Cells) *Machine {
	m := &Machine{name: name, log: log, bus: bus, world: world, cells: cells, asks: map[uint64]*inquiry{}, asked: make([]kept, partitions), mostAsked: mostKept}
	for p := range partitions {
		t := &part{machine: m, p: p, world: worlds(p), runs: map[askedBy]struct{}{}}
		t.session = NewSession(p, name, log, t.world)
		m.parts = append(m.parts, t)
	}
	return m
}

// Watch has looked called with what it knows each time that it has looked, in the turn of the
// members, and received with what SendBeside has sent here. Before Begin.
func (m *Machine) Watch(looked func(v *View), received func(b []byte)) {
	m.looked, m.received = looked, received
}

// SendBeside sends a machine something that is not of the protocol of this package.
func (m *Machine) SendBeside(to string, what interface{ Append(b []byte) []byte }) {
	m.bus.Send(to, what.Append([]byte{version, beside}))
}

// SayGoodbye says once more that the machine has left: answers of it may come all the same.
func (m *Machine) SayGoodbye() { m.tell("", &message{kind: goodbye, node: m.name}) }

// Run has fn called in the turn of the members.
func (m *Machine) Run(fn func()) { m.world.Run(fn) }

// Begin has the machine be a member. It owns nothing until the others had time to answer its first
// beat.
func (m *Machine) Begin() {
	m.world.Run(m.beat)
	m.world.After(FirstLook, m.looks)
}

// beat tells all machines that this one lives.
func (m *Machine) beat() {
	if m.leaving {
		return
	}
	m.members.Beat(m.name, m.declines(), m.world.Now())
	m.tells("")
	m.world.After(BeatEvery, m.beat)
}

// tells sends a beat.
func (m *Machine) tells(to string) {
	m.tell(to, &message{kind: beat, node: m.name, declined: m.declines()})
}

// declines returns the partitions that the machine declines, in order.
func (m *Machine) declines() []int {
	now := m.world.Now()
	maps.DeleteFunc(m.declined, func(_ int, until time.Time) bool { return !now.Before(until) })
	return slices.Sorted(maps.Keys(m.declined))
}

// decline has the machine decline a partition for a while: its log has what its program does not
// know.
func (m *Machine) decline(p int) {
	if m.declined == nil {
		m.declined = map[int]time.Time{}
	}
	m.declined[p] = m.world.Now().Add(max(m.pauses[p], declinesFor))
	if m.pauses == nil {
		m.pauses = map[int]time.Duration{}
	}
	m.pauses[p] = min(2*max(m.pauses[p], declinesFor), mostDeclines)
	m.members.Beat(m.name, m.declines(), m.world.Now())
	m.tells("")
}

// declinesFor is how long a partition is declined for the first time: then the log may have what is
// known. If it has not, twice as long, up to mostDeclines: it moves each time.
const (
	declinesFor  = time.Minute
	mostDeclines = time.Hour
)

func (m *Machine) tell(to string, what *message) { m.bus.Send(to, what.encode()) }

// looks looks at the members each time.
func (m *Machine) looks() {
	m.look()
	if !m.leaving {
		m.world.After(BeatEvery/2, m.looks)
	}
}

// look begins to own partitions, and leaves others.
func (m *Machine) look() {
	if m.leaving {
		return
	}
	v := m.members.View(len(m.parts), m.world.Now(), m.seen.Load())
	m.seen.Store(v)
	m.looksAtAsks(v.MayAnswer())
	if m.looked != nil {
		m.looked(v)
	}
	for _, t := range m.parts {
		mine := v.Owners[t.p] == m.name
		t.world.Run(func() { t.shouldOwn(mine) })
	}
}

// View returns what the machine knows of the machines; nil before it has looked. Any goroutine may
// call it.
func (m *Machine) View() *View { return m.seen.Load() }

// Leave has the machine be no member any more, once it has left what it owns: then other machines
// have nothing to do again. It calls done. What takes longer than mostLeave is left as it is.
func (m *Machine) Leave(done func()) {
	m.world.Run(func() {
		if m.leaving {
			return
		}
		m.leaving = true
		open := len(m.parts)
		for _, t := range m.parts {
			t.world.Run(func() {
				t.ended = true
				t.leave(func() {
					m.world.Run(func() {
						if open--; open == 0 {
							m.tell("", &message{kind: goodbye, node: m.name})
							done()
						}
					})
				})
			})
		}
	})
}

// longLife is how long an owner lives that is not one of a row of those that fail.
const longLife = 10 * time.Second

// mostLeave is how long an owner has to settle what it has read, once it is to leave.
const mostLeave = time.Second

// End has the machine do nothing any more. What it has sent and has no outcome fails.
func (m *Machine) End() {
	m.world.Run(func() {
		m.leaving, m.ended = true, true
		for _, number := range slices.Sorted(maps.Keys(m.asks)) {
			m.giveUp(m.asks[number])
		}
	})
	for _, t := range m.parts {
		t.world.Run(func() {
			t.ended = true
			t.session.End()
			if o := t.owner; o != nil {
				o.End()
				t.disowns(o)
			}
		})
	}
}

// Send sends a command to a unit, as [Session.Send] does.
func (m *Machine) Send(unit string, body []byte, accepted func(err error), outcome func(value []byte, err error)) (giveUp func()) {
	t := m.parts[Of(unit, len(m.parts))]
	over, end := false, func() {}
	t.world.Run(func() {
		if !over {
			end = t.session.Send(unit, body, accepted, outcome)
		}
	})
	return func() {
		t.world.Run(func() {
			over = true
			end()
		})
	}
}

// Answer tells the sender of a command its outcome. In the turn of the partition.
func (m *Machine) Answer(o *Owner, c *Command, value []byte) {
	if c.Told || c.From.Session == 0 {
		return
	}
	if to := o.NodeOf(c.From.Session); to != "" {
		m.tell(to, &message{kind: outcome, p: o.p, session: c.From.Session, n: c.N, value: value})
	}
}

// Receive takes a message of the bus. One that this machine cannot read is dropped: it is of a
// newer program, which has other means to find out.
func (m *Machine) Receive(b []byte) {
	if len(b) > 2 && b[0] == version && b[1] == beside {
		if m.received != nil {
			m.received(b[2:])
		}
		return
	}
	got, err := decodeMessage(b)
	if err != nil || got.p >= len(m.parts) {
		return
	}
	switch got.kind {
	case beat:
		m.world.Run(func() {
			if got.node == m.name {
				m.hearsItself()
				return
			}
			if m.members.Beat(got.node, got.declined, m.world.Now()) && !m.leaving {
				m.tells(got.node) // which does not know this one yet
			}
		})
	case goodbye:
		m.world.Run(func() {
			m.members.Gone(got.node, m.world.Now())
			m.look()
		})
	case outcome:
		t := m.parts[got.p]
		t.world.Run(func() { t.session.Outcome(got.session, got.n, got.value) })
	case closed:
		t := m.parts[got.p]
		t.world.Run(func() { t.session.Closed(got.session) })
	case request:
		t := m.parts[got.p]
		t.world.Run(func() { t.requested(&got) })
	case whether:
		t := m.parts[got.p]
		t.world.Run(func() { t.says(&got) })
	case reply:
		m.world.Run(func() { m.replied(&got) })
	}
}

// hearsItself notes that a beat of this machine has come back. If none has for so long that others
// do not count it, they may have owned its partitions meanwhile, and written what its owners do not
// know, beside the logs: so each owner leaves, and the next one begins with what is stored.
func (m *Machine) hearsItself() {
	now := m.world.Now()
	wasCut := !m.ownBeat.IsZero() && now.Sub(m.ownBeat) > Absent
	m.ownBeat = now
	if !wasCut || m.leaving {
		return
	}
	for _, t := range m.parts {
		t.world.Run(func() {
			if t.owner != nil && !t.leaves {
				t.leave(func() {})
			}
		})
	}
}

// shouldOwn begins to own the partition, or leaves it.
func (t *part) shouldOwn(mine bool) {
	switch {
	case mine && t.owner == nil && !t.ended && !t.world.Now().Before(t.again):
		t.own()
	case !mine && t.owner != nil && !t.leaves:
		t.leave(func() {})
	}
}

func (t *part) own() {
	m := t.machine
	var o *Owner
	t.began = t.world.Now()
	o = NewOwner(t.p, m.log, t.world, m.cells, func(err error) {
		now := t.world.Now()
		if now.Sub(t.began) > longLife {
			t.pause.reset()
		}
		t.again = now.Add(t.pause.next())
		t.disowns(o)
		switch {
		case errors.Is(err, engine.ErrStopped):
			m.world.Run(func() { m.stopped = err })
		case o.lost:
			m.world.Run(func() { m.decline(t.p) })
		}
	})
	o.strange = func(session uint64) {
		m.tell("", &message{kind: closed, p: t.p, session: session}) // nothing has the node's name
	}
	if m.tune != nil {
		m.tune(o)
	}
	t.owner = o
	o.Begin()
}

// leave leaves the partition, and calls left; at once if this machine does not own it.
func (t *part) leave(left func()) {
	o := t.owner
	if o == nil {
		left()
		return
	}
	t.left = left
	if t.leaves {
		return
	}
	t.leaves = true
	o.Leave(func() { t.disowns(o) })
	t.world.After(mostLeave, func() {
		o.End()
		t.disowns(o)
	})
}

// disowns notes that the partition has no owner here any more.
func (t *part) disowns(o *Owner) {
	if t.owner != o {
		return
	}
	t.owner, t.leaves = nil, false
	t.machine.cells.Ended(o)
	if left := t.left; left != nil {
		t.left = nil
		left()
	}
}
