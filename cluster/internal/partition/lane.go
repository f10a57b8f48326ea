package partition

import (
	"slices"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Source:     go-back-N, as protocols of links have it
// Sketch:     commands are appended to the log in the order of their numbers, many at once
//             one that is acknowledged behind all before it is accepted: the owner takes it
//             if an acknowledgment is missing, or has a place before one of an earlier number, all
//             that is not accepted is appended again: that is the next round
// Invariants: L1 If a command is accepted, the log has all commands of the lane up to it in an
//             order in which the owner takes them (M2). What it has beside them is repeated.
//             L2 Acknowledgments of earlier rounds say nothing.
//             L3 Of two entries of a session that count as in its log, the second was acknowledged
//             less than half of closeAfter after the first was sent. So the session was not closed
//             between them: that needs closeAfter between them. If it takes longer, that is not
//             known: the lane is in doubt.

// lane is the way of one sender to one partition.
type lane struct {
	log    engine.Log
	world  World
	to     int
	from   Source
	last   Number // of the last command that was put in
	known  Number
	window []*sent // what is not accepted, in order
	under  int     // how many of window were appended in this round
	most   int     // may be appended and not accepted
	place  uint64  // of the last one that was accepted
	round  int
	pause  pause
	paused bool
	ended  bool
	// entry is when the last entry of the session was sent that is known to be in the log.
	entry time.Time
	doubt func() // nil for a partition's, which is never closed
}

// sent is a command on its way.
type sent struct {
	command  *Command
	place    uint64 // in the log; 0 if it is not acknowledged in this round
	at       time.Time
	accepted func(err error) // called once
}

// mostUnder is how many commands of a lane are in flight.
const mostUnder = 256

// put sends a command behind all that were put before.
func (l *lane) put(c *Command, accepted func(err error)) {
	c.From, c.Prev = l.from, l.last
	l.last = c.N
	l.window = append(l.window, &sent{command: c, accepted: accepted})
	l.append()
}

// append appends what may be in flight.
func (l *lane) append() {
	for !l.paused && !l.ended && l.under < min(len(l.window), l.most) {
		s, round := l.window[l.under], l.round
		l.under++
		s.command.Known, s.at = l.known, l.world.Now()
		e := Entry{Command: s.command}
		l.log.Append(l.to, e.Encode(), func(seq uint64, err error) {
			l.world.Run(func() { l.appended(s, round, seq, err) })
		})
	}
}

// appended is the acknowledgment of a command.
func (l *lane) appended(s *sent, round int, seq uint64, err error) {
	if round != l.round || l.ended {
		return
	}
	if err != nil {
		l.again()
		return
	}
	s.place = seq
	l.accept()
}

// accept accepts what is acknowledged, up to the first that is not.
func (l *lane) accept() {
	for len(l.window) > 0 && l.window[0].place > 0 && !l.ended {
		s := l.window[0]
		if s.place < l.place { // it came behind a later one, which the owner has not taken
			l.again()
			return
		}
		if !l.isHeard(s.at) {
			return
		}
		l.place = s.place
		l.window = slices.Delete(l.window, 0, 1)
		l.under--
		l.pause.reset()
		s.accepted(nil)
	}
	l.append()
}

// isHeard notes that an entry of the session, which was sent at an instant, is acknowledged, and
// reports whether the session is known to have been open (L3).
func (l *lane) isHeard(sent time.Time) bool {
	if l.doubt == nil {
		return true
	}
	if l.isStale() {
		l.doubt()
		return false
	}
	if sent.After(l.entry) {
		l.entry = sent
	}
	return true
}

// isStale reports whether the session may be closed before the next entry comes.
func (l *lane) isStale() bool { return l.world.Now().Sub(l.entry) > closeAfter/2 }

// again begins the next round, after a while.
func (l *lane) again() {
	l.round++
	l.under, l.paused = 0, true
	for _, s := range l.window {
		s.place = 0
	}
	round := l.round
	l.world.After(l.pause.next(), func() {
		if l.round == round {
			l.paused = false
			l.append()
		}
	})
}

// end has the lane send no more: what is not accepted fails with err.
func (l *lane) end(err error) {
	all := l.window
	l.ended, l.window = true, nil
	for _, s := range all {
		s.accepted(err)
	}
}
