package partition

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Sketch:     a request goes to the machine that owns the partition by the members that one has
//             heard of, and has its reply from there; the log has nothing of it
//             a machine that does not own the partition says so, and runs nothing: the request
//             goes to the next one, until its time is over
//             no reply comes in time, or the owner ends while it is run, or its machine is not
//             heard of any more: it may have had its effect
//             the bus loses messages, with each connection between machines for example: so what
//             only reads is asked for again if no reply comes, seldom, since it may just take long
//             of any other request the machine says now and then whether it runs it. If it does
//             not, and did not a second before, the request or its reply is lost
//             of those to a partition so many may wait as a session keeps: more are refused
// Invariants: R1 A request that is no read is run at most once: the bus brings it once at most, and
//             it is sent again only if the machine that had it says that it has not run it.
//             R2 A reply with an outcome comes after the write.
//             R3 A request whose write may still be made is run again for another write, of which
//             one is refused, and in no other way: not through the log.

// Request is a command beside the log: it has its effect at most once.
type Request struct {
	Unit string
	Body []byte
	// Reply tells the outcome, once, in any turn: nil once the effect is stored, ErrUncertain if it
	// may be, ErrNotRun if there is none.
	Reply func(value []byte, err error)
}

// Errors of requests.
var (
	// ErrNotRun says that a request has had no effect, and will have none.
	ErrNotRun = errors.New("the command was not run")
	// ErrNoOwner is one, since no machine was found that owns the partition.
	ErrNoOwner = fmt.Errorf("%w: no machine that owns the partition was found", ErrNotRun)
)

// inquiry is a request that waits for its reply.
type inquiry struct {
	message *message
	done    func(value []byte, err error)
	sent    string // to this machine, and no reply to it has come; empty otherwise
	reads   bool
	again   time.Time // when to ask that machine again
	silence time.Duration
	absent  time.Time // since when the machine does not run it; zero if it does, as far as is known
}

// leastSilence is how long no reply to a read comes until it is asked for again; each time after
// that twice as long.
const leastSilence = time.Second

// size returns the bytes that count as kept.
func (a *inquiry) size() int { return len(a.message.unit) + len(a.message.value) }

// Request has a command run beside the log. reads: it only reads, and may be run twice. done is
// told the outcome; after d, ErrUncertain or ErrNoOwner; [engine.ErrStopped] if it was not run, and
// the store has stopped; ErrFull at once if too many wait for theirs.
func (m *Machine) Request(unit string, body []byte, reads bool, d time.Duration, done func(value []byte, err error)) {
	m.world.Run(func() {
		if m.ended {
			done(nil, ErrNoOwner)
			return
		}
		p := Of(unit, len(m.parts))
		a := &inquiry{done: done, reads: reads, silence: leastSilence, message: &message{kind: request, node: m.name, p: p, call: m.lastCall + 1, unit: unit, value: body}}
		if !m.asked[p].mayTake(a.size(), m.mostAsked) {
			done(nil, ErrFull)
			return
		}
		m.asked[p].adds(1, a.size())
		m.lastCall++
		m.asks[m.lastCall] = a
		m.ask(a)
		m.world.After(d, func() { m.giveUp(a) })
	})
}

// ask sends a request to the owner; a little later if there is none.
func (m *Machine) ask(a *inquiry) {
	if m.asks[a.message.call] != a || a.sent != "" {
		return
	}
	v := m.View()
	if v == nil || v.Owners[a.message.p] == "" || m.leaving {
		m.askLater(a)
		return
	}
	a.sent = v.Owners[a.message.p]
	m.sends(a)
}

// sends sends a request to the machine that it is for.
func (m *Machine) sends(a *inquiry) {
	a.again, a.absent = m.world.Now().Add(a.silence), time.Time{}
	m.tell(a.sent, a.message)
}

// askLater sends a request that was not run to the owner, once there may be one: there is none any
// more where the store has stopped.
func (m *Machine) askLater(a *inquiry) {
	if m.stopped != nil {
		m.forget(a)
		a.done(nil, m.stopped)
		return
	}
	m.world.After(BeatEvery/4, func() { m.ask(a) })
}

// forget forgets a request that is about to have its outcome.
func (m *Machine) forget(a *inquiry) {
	delete(m.asks, a.message.call)
	m.asked[a.message.p].adds(-1, -a.size())
}

// giveUp ends a request whose time is over.
func (m *Machine) giveUp(a *inquiry) {
	if m.asks[a.message.call] != a {
		return
	}
	m.forget(a)
	if a.sent != "" {
		a.done(nil, engine.ErrUncertain)
	} else {
		a.done(nil, ErrNoOwner)
	}
}

// looksAtAsks ends the requests that went to machines that are no members any more, repeats the
// reads that have had no reply for long, and asks for the others.
func (m *Machine) looksAtAsks(members []string) {
	now := m.world.Now()
	for _, number := range slices.Sorted(maps.Keys(m.asks)) {
		switch a := m.asks[number]; {
		case a.sent == "":
		case !slices.Contains(members, a.sent):
			m.giveUp(a)
		case now.Before(a.again):
		case a.reads:
			a.silence *= 2
			m.sends(a)
		default:
			a.again = now.Add(leastSilence)
			m.tell(a.sent, &message{kind: whether, node: m.name, p: a.message.p, call: number})
		}
	}
}

// replied takes a reply.
func (m *Machine) replied(got *message) {
	a := m.asks[got.call]
	if a == nil {
		return
	}
	switch got.status {
	case replied:
		m.forget(a)
		a.done(got.value, nil)
	case uncertain:
		m.forget(a)
		a.done(nil, engine.ErrUncertain)
	case absent:
		switch now := m.world.Now(); {
		case a.absent.IsZero(): // its reply may be on the way
			a.absent = now
		case now.Sub(a.absent) > leastSilence/2: // said of a later question
			m.giveUp(a)
		}
	default:
		a.sent = ""
		m.askLater(a)
	}
}

// requested has a request run, if the machine owns the partition. In the turn of the partition.
func (t *part) requested(got *message) {
	m := t.machine
	answer := func(status byte, value []byte) {
		m.tell(got.node, &message{kind: reply, p: got.p, call: got.call, status: status, value: value})
	}
	o := t.owner
	if o == nil || t.leaves || o.phase == beginning || o.phase == ended {
		answer(notOwner, nil)
		return
	}
	o.asked++
	t.runs[askedBy{got.node, got.call}] = struct{}{}
	m.cells.Request(o, &Request{Unit: got.unit, Body: got.value, Reply: func(value []byte, err error) {
		defer t.world.Run(func() {
			o.asked--
			delete(t.runs, askedBy{got.node, got.call})
			o.mayLeave()
		})
		switch {
		case err == nil:
			answer(replied, value)
		case errors.Is(err, ErrNotRun):
			answer(notOwner, nil)
		default:
			answer(uncertain, nil)
		}
	}})
}

// askedBy names a request: the machine that asks, and its number there.
type askedBy struct {
	node string
	call uint64
}

// says tells a machine that a request of it does not run here: it has had its reply, or never came.
func (t *part) says(got *message) {
	if _, runs := t.runs[askedBy{got.node, got.call}]; !runs {
		t.machine.tell(got.node, &message{kind: reply, p: got.p, call: got.call, status: absent})
	}
}
