package partition

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Sketch:     the session is opened by an entry of the log, which names it, with the first command
//             a command is accepted by the lane; then its outcome comes from the owner. One that
//             does not come is asked for, by the same command again, which the owner has taken
//             a session that has no entry for a while may have been closed: so another one is
//             opened before more is sent
//             nobody waits for an outcome for ever: after mostWait it is uncertain
//             while the log does not accept what was sent, so much is kept, and what comes then is
//             refused
// Invariants: S1 Each command ends once: with its outcome, or with ErrUncertain if the session was
//             closed before that came, or after mostWait, or when it is given up; with another
//             error if it is not sent, and never will be.
//             S2 Known says that those up to it have ended. So nobody asks for their outcomes.

// Session is the sending side of one process to one partition.
type Session struct {
	p     int
	node  string
	log   engine.Log
	world World
	name  uint64 // 0 while it is not open
	lane  *lane
	count uint64 // of the last command
	known uint64
	open  map[uint64]*pending // those that have not ended, by number
	ready []*pending          // what comes before the session is open
	begun bool                // an opening is under way
	looks bool                // a look for those that have waited for too long is to come
	pause pause
	ended bool
	kept  kept
	// The constants of these names; less in a simulation.
	mostUnder int
	mostKept  kept
}

// kept counts commands that the log has not accepted, or that have no reply, and their bytes.
type kept struct{ commands, bytes int }

// mayTake reports whether there is room for one more.
func (k *kept) mayTake(size int, most kept) bool {
	return k.commands < most.commands && (k.bytes == 0 || k.bytes+size <= most.bytes)
}

func (k *kept) adds(commands, bytes int) {
	k.commands, k.bytes = k.commands+commands, k.bytes+bytes
}

// mostKept is what a session keeps at most, and what may wait for replies of a partition.
var mostKept = kept{commands: 1 << 15, bytes: 64 << 20}

// ErrFull is the outcome of a command that is not sent since the session keeps too many.
var ErrFull = errors.New("what was sent before has no answer; so much waits for one that no more is taken")

// pending is a command that has not ended. The functions are called once each, and then nil.
type pending struct {
	command  *Command
	accepted func(err error)
	outcome  func(value []byte, err error) // nil from the beginning if none is wanted
	since    time.Time
	pause    pause
	over     bool
}

// isAccepted ends the wait for the log.
func (c *pending) isAccepted(err error) {
	if f := c.accepted; f != nil {
		c.accepted = nil
		f(err)
	}
}

// ends ends a command.
func (c *pending) ends(value []byte, err error) {
	c.over = true
	if f := c.outcome; f != nil {
		c.outcome = nil
		f(value, err)
	}
}

// fails ends a command whose effect is not known, or that was not sent.
func (c *pending) fails(err error) {
	c.isAccepted(err)
	c.ends(nil, err)
}

// errClosed is the error of commands of a session that was closed.
var errClosed = fmt.Errorf("the partition has closed the session, as it had not heard of it for %v: %w", closeAfter, engine.ErrUncertain)

// NewSession returns a session to a partition. node is where outcomes are told.
func NewSession(p int, node string, log engine.Log, world World) *Session {
	return &Session{p: p, node: node, log: log, world: world, open: map[uint64]*pending{}, mostUnder: mostUnder, mostKept: mostKept}
}

// Send sends a command. accepted is called once the log has it: then it has its effect once,
// whatever ends. outcome is called with the outcome. A nil outcome: none is wanted. It returns a
// function that gives the outcome up; the effect comes all the same.
func (s *Session) Send(unit string, body []byte, accepted func(err error), outcome func(value []byte, err error)) (giveUp func()) {
	c := &pending{command: &Command{Told: outcome == nil, Unit: unit, Body: body}, accepted: accepted, outcome: outcome, since: s.world.Now()}
	size := len(unit) + len(body)
	switch {
	case s.ended:
		c.fails(engine.ErrClosed)
		return func() {}
	case !s.kept.mayTake(size, s.mostKept):
		c.fails(ErrFull)
		return func() {}
	}
	s.kept.adds(1, size)
	c.accepted = func(err error) {
		s.kept.adds(-1, -size)
		accepted(err)
	}
	if s.lane != nil && len(s.lane.window) == 0 && len(s.open) == 0 && s.lane.isStale() {
		s.reset(errClosed) // it has nothing that fails
	}
	if s.lane == nil {
		s.ready = append(s.ready, c)
		s.begin()
	} else {
		s.put(c)
	}
	s.lookLater()
	return func() {
		if !c.over {
			s.end(c, nil, ErrGivenUp)
		}
	}
}

// mostWait is how long an outcome is waited for.
const mostWait = 30 * time.Second

// errNotSent is the outcome of what came before a session that could not be opened: it is not sent
// any more.
var errNotSent = fmt.Errorf("the log was not reached within %v: %w", mostWait, ErrNotRun)

var errLate = fmt.Errorf("no outcome has come within %v: %w", mostWait, engine.ErrUncertain)

// lookLater looks later for commands that have waited for too long, while there are any.
func (s *Session) lookLater() {
	if s.looks {
		return
	}
	s.looks = true
	s.world.After(mostWait/8, func() {
		s.looks = false
		if s.ended {
			return
		}
		all := append(s.inOrder(), s.ready...)
		for _, c := range all {
			switch late := s.world.Now().Sub(c.since) > mostWait; {
			case c.over || c.command.Told || !late:
			case c.command.N.Seq == 0:
				s.end(c, nil, errNotSent)
			default:
				s.end(c, nil, errLate)
			}
		}
		if len(all) > 0 {
			s.lookLater()
		}
	})
}

// ErrGivenUp is the outcome of a command whose sender waits no more.
var ErrGivenUp = errors.New("the sender does not wait any more")

// begin opens the session, unless that is under way.
func (s *Session) begin() {
	if !s.begun {
		s.begun = true
		s.tryOpen()
	}
}

func (s *Session) tryOpen() {
	if s.ended {
		return
	}
	e, at := Entry{Opening: &Opening{s.node}}, s.world.Now()
	s.log.Append(s.p, e.Encode(), func(seq uint64, err error) {
		s.world.Run(func() {
			switch {
			case s.ended:
			case err != nil || s.world.Now().Sub(at) > closeAfter/2: // it may be closed already
				s.world.After(s.pause.next(), s.tryOpen)
			default:
				s.opened(seq, at)
			}
		})
	})
}

func (s *Session) opened(name uint64, at time.Time) {
	s.pause.reset()
	s.begun = false
	s.name = name
	s.lane = &lane{
		log: s.log, world: s.world, to: s.p, from: Source{Session: name}, most: s.mostUnder,
		entry: at, doubt: func() { s.Closed(name) },
	}
	all := s.ready
	s.ready = nil
	for _, c := range all {
		s.put(c)
	}
}

func (s *Session) put(c *pending) {
	if c.over { // given up before it was sent
		c.isAccepted(ErrGivenUp)
		return
	}
	s.count++
	c.command.N = Number{Seq: s.count}
	s.open[s.count] = c
	s.lane.put(c.command, func(err error) {
		c.isAccepted(err)
		if err != nil || c.over {
			return
		}
		if c.command.Told {
			s.end(c, nil, nil)
		} else {
			s.askLater(c)
		}
	})
}

// askLater asks for an outcome that does not come.
func (s *Session) askLater(c *pending) {
	s.world.After(leastAsk+c.pause.next(), func() {
		if c.over || s.ended || c.command.From.Session != s.name {
			return
		}
		c.command.Known = Number{Seq: s.known}
		e, at := Entry{Command: c.command}, s.world.Now()
		s.log.Append(s.p, e.Encode(), func(_ uint64, err error) {
			s.world.Run(func() {
				if c.over || s.ended || err == nil && !s.lane.isHeard(at) {
					return
				}
				s.askLater(c)
			})
		})
	})
}

// leastAsk is how long an outcome takes at least until it is asked for.
const leastAsk = 200 * time.Millisecond

// Outcome notes the outcome of a command that the owner tells.
func (s *Session) Outcome(session uint64, n Number, value []byte) {
	if session != s.name {
		return
	}
	if c := s.open[n.Seq]; c != nil {
		c.isAccepted(nil) // its acknowledgment may come later
		s.end(c, value, nil)
	}
}

// end ends a command, which may be in the lane all the same.
func (s *Session) end(c *pending, value []byte, err error) {
	if s.lane != nil && c.command.From.Session == s.name {
		delete(s.open, c.command.N.Seq)
		for s.known < s.count && s.open[s.known+1] == nil {
			s.known++
		}
		s.lane.known = Number{Seq: s.known}
	}
	c.ends(value, err)
}

// Closed notes that the partition has closed a session.
func (s *Session) Closed(session uint64) {
	if s.lane != nil && session == s.name {
		all := s.inOrder()
		s.reset(errClosed)
		for _, c := range all {
			c.fails(errClosed)
		}
	}
}

// inOrder returns the commands of the open session that have not ended.
func (s *Session) inOrder() (all []*pending) {
	for _, n := range slices.Sorted(maps.Keys(s.open)) {
		all = append(all, s.open[n])
	}
	return all
}

// reset has the session be opened anew with the next command.
func (s *Session) reset(err error) {
	l := s.lane
	s.lane, s.name, s.count, s.known, s.open = nil, 0, 0, 0, map[uint64]*pending{}
	l.end(err)
}

// End ends the session: what has not ended fails with ErrUncertain.
func (s *Session) End() {
	if s.ended {
		return
	}
	s.ended = true
	all := s.inOrder()
	if s.lane != nil {
		s.lane.end(engine.ErrUncertain)
	}
	for _, c := range all {
		c.fails(engine.ErrUncertain)
	}
	for _, c := range s.ready { // they were not sent
		c.fails(engine.ErrClosed)
	}
}
