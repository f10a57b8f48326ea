package calls

import (
	"cmp"
	"context"
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// Sketch:     calls to the units of a partition are numbered, and go to the machine that has it.
//             What goes to one machine in a row begins with a First that no row had before
//             the machine takes them in the order of the numbers, without gaps. If one is missing,
//             or the machine does not have the partition, it refuses that one and all behind it in
//             the row: they are sent again, in another row
//             another machine has the partition: what is on its way to the first one is asked for,
//             until that has taken it or refused it. Then the next row begins
//             a call that was taken and has no outcome for a while is asked for: its outcome may be
//             lost. One that has ended, and had so a second before, too, may have run
//             a machine is not heard of any more: what it had may have run. An outcome that it has
//             sent before may be on its way still, so this is said one sweep later
// Invariants: L1 A call is taken once at most: it is sent again only if the machine that had it has
//             refused it, and that refuses it for good.
//             L2 Calls are taken in the order in which they were given to Send, but for those that
//             are not taken at all.
//             L3 A call has one outcome.
// Checked by: TestCalls; of package clustertest TestMachinesGuests

// Line carries the calls of one machine to the units of one partition.
type Line struct {
	p       int    // the partition
	node    string // this machine
	world   partition.World
	tell    func(to string, m *Frame)
	owner   func() string // of the partition, as this machine knows it; empty for none
	to      string        // the row goes there; empty without one
	first   uint64        // of the row
	last    uint64        // number of a call; numbers rise over all rows
	onWay   []*Outgoing   // of the row: sent, and neither taken nor refused, as far as it is known
	waiting []*Outgoing
	open    map[uint64]*Outgoing // sent, and without an outcome
	again   bool                 // goOn is about to be called, and does nothing before
	careful bool                 // a row was refused: the next one begins with one call
	sweeps  bool
	heard   bool // of the machine since the last sweep
	ended   bool
}

// Outgoing is a call of a [Line].
type Outgoing struct {
	Body  []byte
	Until time.Time // it has no outcome then: it fails
	// To is told the outcome; nil once it was.
	To Sender
	// Context is done when nobody waits for the outcome any more; nil if somebody does always.
	Context context.Context

	n  uint64 // 0 before it was sent
	to string
	// sweeps counts those since it was sent. gone is the one after which it was said first that the
	// call has ended where it was taken; 0 before. left is the one before which it was known that
	// the machine with the call is gone; 0 if it is there.
	sweeps, gone, left uint32
}

// Sender waits for the outcome of a call.
type Sender interface {
	// Done is told the outcome, once: ErrUncertain if the call may have run, ErrNotRun if it has
	// not, and will not.
	Done(body []byte, err error)
}

const (
	lookAgain  = 50 * time.Millisecond
	sweepEvery = 250 * time.Millisecond
	askSweeps  = 4   // it takes until a call is asked for, and then asked for again
	mostAsked  = 500 // in a frame
)

// NewLine makes a line of a machine. tell sends a message; it does not wait.
func NewLine(p int, node string, world partition.World, owner func() string, tell func(to string, m *Frame)) *Line {
	return &Line{p: p, node: node, world: world, owner: owner, tell: tell, open: map[uint64]*Outgoing{}}
}

// Send sends a call.
func (l *Line) Send(o *Outgoing) {
	if l.ended {
		o.end(nil, partition.ErrNotRun)
		return
	}
	l.waiting = append(l.waiting, o)
	l.goOn()
	l.sweepLater()
}

// IsIdle reports whether nothing waits, and nothing is on its way: what is sent in another way now
// overtakes nothing.
func (l *Line) IsIdle() bool { return len(l.waiting) == 0 && len(l.onWay) == 0 }

// goOn sends what waits.
func (l *Line) goOn() {
	if l.again || len(l.waiting) == 0 || l.ended {
		return
	}
	owner := l.owner()
	switch {
	case owner == "":
		l.lookAgain()
		return
	case owner == l.to:
	case len(l.onWay) > 0: // what is there comes first
		l.probe()
		l.lookAgain()
		return
	default:
		l.to, l.first = owner, l.last+1
	}
	for i, o := range l.waiting {
		if l.drops(o) {
			continue
		}
		if l.careful && len(l.onWay) > 0 {
			l.waiting = l.waiting[i:]
			return
		}
		l.last++
		o.n, o.to = l.last, l.to
		l.open[o.n] = o
		l.onWay = append(l.onWay, o)
		l.says(Call, o.n, o.Body)
	}
	l.waiting = nil
}

func (l *Line) says(kind Kind, n uint64, body []byte) {
	l.tell(l.to, &Frame{Kind: kind, P: l.p, Node: l.node, First: l.first, N: n, Body: body})
}

// lookAgain has goOn be called a little later.
func (l *Line) lookAgain() {
	l.again = true
	l.world.After(lookAgain, func() {
		l.again = false
		l.goOn()
	})
}

func (l *Line) probe() { l.says(Probe, l.last, nil) }

// drops reports whether a call that waits is not to be sent any more.
func (l *Line) drops(o *Outgoing) bool {
	switch {
	case o.To == nil:
	case o.isPointless():
		o.end(nil, partition.ErrNotRun)
	case !l.world.Now().Before(o.Until):
		o.end(nil, partition.ErrNoOwner)
	}
	return o.To == nil
}

// isPointless reports whether nobody waits for the outcome any more.
func (o *Outgoing) isPointless() bool { return o.Context != nil && o.Context.Err() != nil }

// cancel gives up a call that was sent: it does not begin, if it has not.
func (l *Line) cancel(o *Outgoing) {
	l.tell(o.to, &Frame{Kind: Cancel, P: l.p, Node: l.node, First: l.first, N: o.n})
	l.ends(o, nil, engine.ErrUncertain)
}

// Receive takes a message of a gate.
func (l *Line) Receive(m *Frame) {
	if m.First == l.first && m.Node == l.to {
		l.heard = true
	}
	switch m.Kind {
	case Taken:
		l.taken(m.First, m.N)
	case Refused:
		l.refused(m.First, m.N)
	case Outcome:
		l.taken(m.First, m.N)
		if o := l.open[m.N]; o != nil && o.to == m.Node {
			l.ends(o, m.Body, nil)
		}
	case Gone:
		l.areGone(m)
	}
	l.goOn()
}

// taken notes that the calls of a row are taken, up to a number.
func (l *Line) taken(first, n uint64) {
	if first != l.first {
		return // of an earlier row, which had an end
	}
	k := 0
	for k < len(l.onWay) && l.onWay[k].n <= n {
		k++
	}
	if k > 0 {
		l.onWay, l.careful = slices.Delete(l.onWay, 0, k), false
	}
}

// refused takes back the calls of a row from a number on.
func (l *Line) refused(first, from uint64) {
	if first != l.first || l.to == "" {
		return
	}
	l.taken(first, from-1)
	var back []*Outgoing
	for _, o := range l.onWay {
		delete(l.open, o.n)
		o.n, o.to, o.sweeps, o.gone, o.left = 0, "", 0, 0, 0
		back = append(back, o)
	}
	l.onWay, l.waiting = nil, append(back, l.waiting...)
	l.to, l.first, l.careful = "", 0, true
	if !l.again { // it may not know yet that it is to have the partition
		l.lookAgain()
	}
}

// Members notes which machines there are: what was sent to others may have run.
func (l *Line) Members(all []string) {
	if l.to != "" && !slices.Contains(all, l.to) {
		l.onWay, l.to, l.first = nil, "", 0
	}
	for _, o := range l.open {
		switch {
		case slices.Contains(all, o.to):
			o.left = 0
		case o.left == 0:
			o.left = o.sweeps + 1
		}
	}
	l.again = false // who the owner is may be known now
	l.goOn()
}

// those returns the calls that were sent and have no outcome for which a condition holds, in order:
// so a seed repeats what follows.
func (l *Line) those(is func(o *Outgoing) bool) (all []*Outgoing) {
	for _, o := range l.open {
		if is(o) {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b *Outgoing) int { return cmp.Compare(a.n, b.n) })
	return all
}

// sweepLater has calls fail whose time is over, and asks for those that nothing was heard of.
func (l *Line) sweepLater() {
	if l.sweeps || l.ended || l.IsIdle() && len(l.open) == 0 {
		return
	}
	l.sweeps, l.heard = true, false
	l.world.After(sweepEvery, l.sweep)
}

func (l *Line) sweep() {
	l.sweeps = false
	l.waiting = slices.DeleteFunc(l.waiting, l.drops)
	now := l.world.Now()
	for _, o := range l.those(func(o *Outgoing) bool { return o.isPointless() || !now.Before(o.Until) }) {
		switch {
		case o.To == nil: // it has its outcome meanwhile
		case o.isPointless():
			l.cancel(o)
		default:
			l.ends(o, nil, engine.ErrUncertain)
		}
	}
	if len(l.onWay) > 0 && !l.heard {
		l.probe()
	}
	for _, o := range l.open {
		o.sweeps++
	}
	l.uncertain()
	l.ask()
	l.sweepLater()
}

// uncertain ends the calls whose machine was gone a whole sweep ago: what it has sent before it
// left has come.
func (l *Line) uncertain() {
	for _, o := range l.those(func(o *Outgoing) bool { return o.left > 0 && o.sweeps > o.left }) {
		l.ends(o, nil, engine.ErrUncertain)
	}
}

// ask asks for the calls that were taken a while ago.
func (l *Line) ask() {
	old := l.those(func(o *Outgoing) bool {
		return o.left == 0 && o.sweeps%askSweeps == 0 && (len(l.onWay) == 0 || o.n < l.onWay[0].n)
	})
	of := map[string][]byte{}
	for i, o := range old {
		of[o.to] = binary.AppendUvarint(of[o.to], o.n)
		if (i+1)%mostAsked == 0 || i+1 == len(old) {
			for _, to := range slices.Sorted(maps.Keys(of)) {
				l.tell(to, &Frame{Kind: Ask, P: l.p, Node: l.node, Body: of[to]})
			}
			clear(of)
		}
	}
}

// areGone notes which calls have ended where they were taken. The outcome of one that comes to be
// so is on its way perhaps; that of one which was so before is lost.
func (l *Line) areGone(m *Frame) {
	for n := range numbers(m.Body) {
		o := l.open[n]
		switch {
		case o == nil || o.to != m.Node:
		case o.gone == 0:
			o.gone = o.sweeps
		case o.sweeps > o.gone+askSweeps/2: // said of a later question
			l.ends(o, nil, engine.ErrUncertain)
		}
	}
}

// ends gives a call that was sent its outcome.
func (l *Line) ends(o *Outgoing, body []byte, err error) {
	delete(l.open, o.n)
	o.end(body, err)
}

func (o *Outgoing) end(body []byte, err error) {
	if to := o.To; to != nil {
		o.To = nil
		to.Done(body, err)
	}
}

// End fails all calls.
func (l *Line) End() {
	l.ended = true
	for _, o := range l.waiting {
		o.end(nil, partition.ErrNotRun)
	}
	for _, o := range l.those(func(*Outgoing) bool { return true }) {
		l.ends(o, nil, engine.ErrUncertain)
	}
	l.waiting, l.onWay = nil, nil
}
