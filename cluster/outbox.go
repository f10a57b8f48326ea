package cluster

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/internal/route"
)

// Source:     the transactional outbox, as databases and services have it
// Sketch:     what an operation tells is stored with its effect, under a number; then it is
//             delivered; the write that has the effect of the delivery removes it
//             a delivery has had no effect if its unit cannot be made active, or its write fails:
//             it is tried again after a while, and what is told to the same unit meanwhile comes
//             after it
// Invariants: I1 What is stored is delivered, in this process or a later one, until a write has
//             removed it. So it takes effect once.
//             I2 The deliveries of one unit to another take effect in the order of their numbers.
// Checked by: TestTell…

// outbox has what durable units have told durable units, and has had no effect.
type outbox struct {
	node *Node
	last atomic.Uint64 // number

	lines  lines
	counts counts
}

// tell is a message that an operation of a durable unit has told a durable unit.
type tell struct {
	layout.Tell
	to *kind
	op *operation // nil for a timer's, if the program does not have it any more
}

// delivery is a tell with its number.
type delivery struct {
	tell
	number     uint64
	key, entry []byte // in the store
	done       bool   // it has had its effect
	underway   atomic.Bool
	ends       int // how many times it has ended its goroutine
	warned     bool
	inARow     int // drain.go
	// What is left of an earlier process (suspects.go). kept: it is not to be delivered yet,
	// guarded by the mu of lines; then is called once it has been delivered, and may be nil.
	left, kept bool
	then       func(again bool)
	logged     *logged       // nil unless it comes from a log (shared.go)
	places     []route.Place // of an operation on several units; nil for others
}

// at returns the units that a delivery is for.
func (d *delivery) at() []route.Place {
	if d.places != nil {
		return d.places
	}
	return []route.Place{d.to.place(d.Key)}
}

// tell has the run's record hold a message.
func (r *run) tell(m route.Message, op *route.Operation) error {
	n := nodeOf(m.Runtime().(*freerun.Runtime))
	if n == nil {
		return ErrClosed
	}
	t, err := n.tellOf(m.Kind(), m.Key(), op.Name, m.Arg())
	if err == nil {
		t.Values = n.carriedBy(m.Context(), m.Senders(), true)
		r.tells = append(r.tells, t)
	}
	return err
}

// tellOf makes a tell: of the operation with a full name, with arg, a pointer, to a unit of the
// kind with a full name.
func (n *Node) tellOf(kind string, key any, name string, arg any) (t tell, err error) {
	k := n.kinds[kind]
	if k == nil {
		return t, fmt.Errorf("%w: kind %s was declared after cluster.Join", ErrNotDurable, shorten(kind))
	}
	if t.op, err = k.operationOf(name); err != nil {
		return t, err
	}
	t.to = k
	t.Kind, t.Operation = k.stored, t.op.given
	if t.Key, err = k.keyText(key); err != nil {
		return t, err
	}
	if t.Arg, err = t.op.arg.append(nil, arg); err != nil {
		return t, fmt.Errorf("%w: the argument of %s: %w", ErrNotDurable, shorten(name), err)
	}
	return t, n.mayTell("the argument of "+shorten(name), t.Arg)
}

// number makes a delivery.
func (o *outbox) number(t *tell) *delivery {
	d := &delivery{tell: *t, number: o.last.Add(1)}
	d.key, d.entry = layout.Numbered(layout.Sent, d.number), d.Encode()
	return d
}

// decodeTell reads a tell that is stored.
func (n *Node) decodeTell(b []byte) (t tell, rest []byte, err error) {
	stored, rest, err := layout.DecodeTell(b)
	if err != nil {
		return t, nil, err
	}
	if len(stored.Units) > 0 {
		t.to, t.op, err = n.shared.namedSeveral(&stored)
	} else {
		t.to, t.op, err = n.named(&stored.Kind, stored.Operation)
	}
	if err != nil {
		return t, nil, err
	}
	t.Tell = stored
	if t.isQuestion() {
		_, _, err = n.named(&t.Reply.Kind, t.Reply.Operation)
	}
	return t, rest, err
}

// named returns the kind and the operation of a message that is stored, by their names there, and
// has the kind have the name that it has now: so all messages to a unit name it alike.
func (n *Node) named(kind *string, operation string) (*kind, *operation, error) {
	k := n.stored[*kind]
	if k == nil {
		return nil, nil, fmt.Errorf("cluster: the store has a message to kind %s, which this program does not have", *kind)
	}
	*kind = k.stored
	op := k.ops[operation]
	if op == nil {
		return nil, nil, fmt.Errorf("cluster: the store has a message to kind %s with operation %s, which this program does not have", *kind, operation)
	}
	return k, op, nil
}

// begin reads what is left of the last process, with the notes about it.
func (o *outbox) begin() (left []*delivery, notes map[uint64]suspicion, err error) {
	n := o.node
	err = n.engine.Scan([]byte(layout.Sent), nil, func(key, value []byte) error {
		number, err := layout.NumberOf(key)
		if err != nil {
			return err
		}
		t, _, err := n.decodeTell(value)
		if err != nil {
			return err
		}
		d := &delivery{tell: t, number: number, key: slices.Clone(key), entry: slices.Clone(value)}
		o.last.Store(d.number)
		left = append(left, d)
		return nil
	})
	if err == nil {
		err = n.engine.Scan([]byte(layout.Failure), nil, func(key, _ []byte) error {
			number, err := layout.NumberOf(key)
			o.last.Store(max(o.last.Load(), number))
			o.counts.failures.Add(1)
			return err
		})
	}
	if err == nil {
		notes, err = o.readNotes()
	}
	o.counts.begin(left, notes)
	return left, notes, err
}

// stored returns the entry of a delivery.
func (d *delivery) stored() engine.Write { return engine.Write{Key: d.key, Value: d.entry} }

// unit names the unit that a tell is for.
func (t *tell) unit() string { return t.to.stored + "\x00" + t.Key }

// send delivers what is stored.
func (o *outbox) send(all []*delivery) {
	o.counts.opens(len(all))
	for _, d := range all {
		switch {
		case d.isLeft():
			o.lines.keep(d)
		case !o.lines.mustWait(d):
			o.deliver(d)
		}
	}
}

// deliver sends a delivery to its unit, unless it is on its way.
func (o *outbox) deliver(d *delivery) {
	if d.underway.Swap(true) {
		return
	}
	err := error(nil)
	switch {
	case d.isOver():
		o.counts.closes(d)
	case d.logged != nil && d.logged.refused != nil:
		o.node.shared.refuse(d)
	case d.op == nil:
		err = o.node.shared.wakeUp(d)
	default:
		to := &route.Delivery{
			To:        d.at(),
			Operation: d.op.name, Arg: func(arg any) error { return d.op.arg.decode(d.Arg, arg) },
			Mark: d, Done: func(_ any, err error) { o.ended(d, err) },
		}
		carries(to, d.Values)
		err = seam.Deliver(o.node.rt, to)
	}
	switch {
	case err == nil:
	case errors.Is(err, freerun.ErrClosed):
		// It is left to the next process.
	case d.logged != nil && o.node.shared.failsIfNewer(d.logged.owner, err):
		// It is left to another machine.
	default:
		o.giveUp(d, err)
	}
}

// drops drops what waits to be tried again for an owner that has ended.
func (o *outbox) drops(all []*delivery) {
	for _, d := range all {
		if !d.underway.Swap(true) { // otherwise its end counts it, or it was dropped
			o.counts.closes(d)
		}
	}
}

// ended is called with the outcome of a delivery.
func (o *outbox) ended(d *delivery, err error) {
	if d.isOver() {
		o.counts.closes(d) // and it stays under way
		return
	}
	if errors.Is(err, freerun.ErrGoexit) && !d.done && d.endedAgain() {
		o.giveUp(d, err) // and it stays under way
		return
	}
	if d.isHopeless(err) && !d.done {
		o.node.shared.failWithoutUnits(d, err) // and it stays under way
		return
	}
	d.underway.Store(false)
	o.settled(d, err)
}

// settled goes on after a delivery that is not under way any more.
func (o *outbox) settled(d *delivery, err error) {
	switch {
	case d.done:
		o.next(d)
		d.tried(false)
		d.to.crowd.letOneIn()
	case err == errBehind:
		o.deliverFirst(d) // it may be the first meanwhile
	case isOver(err) && (d.logged == nil || o.node.shared.isEnding()):
		// It is left to the next process.
	case err == errEarly:
		d.tried(true)
		d.logged.part.comesLater(d)
	default:
		d.warns(err)
		d.tried(true)
		o.tryAgain(d, isCrowded(err) && d.places == nil) // which of the kinds has no room?
	}
}

// isOver reports whether a failure says that this process can do nothing more: the next one goes
// on.
func isOver(err error) bool {
	return errors.Is(err, freerun.ErrClosed) || errors.Is(err, ErrClosed) || errors.Is(err, ErrStopped)
}

func (d *delivery) endedAgain() bool {
	d.ends++
	return d.ends >= mostTries
}

// tryAgain delivers a delivery again after a while, or when there may be room in its kind.
func (o *outbox) tryAgain(d *delivery, crowded bool) {
	switch pause, first := o.lines.again(d, !crowded); {
	case first && crowded:
		d.to.crowd.add(o.node.rt, func() { o.deliverFirst(d) })
	case first:
		later.SendAfter(o.node.rt.Context(), pause, func() { o.deliverFirst(d) })
	}
}

// deliverFirst delivers the first of a queue.
func (o *outbox) deliverFirst(d *delivery) {
	if o.lines.isFirst(d) {
		o.deliver(d)
	}
}

// next delivers what waits for a delivery that has had its effect.
func (o *outbox) next(d *delivery) {
	o.counts.closes(d)
	if following := o.lines.next(d); following != nil {
		o.deliver(following)
	}
}

// ending returns the writes with which a delivery fails for good, and the answer that they have, if
// it is a question: nothing else is recorded then.
func (o *outbox) ending(d *delivery, why error) (writes []engine.Write, answers []*delivery) {
	if !d.isQuestion() {
		return append(d.removal(), d.failure(why)), nil
	}
	a := o.number(d.answer(nil, why))
	return append(d.removal(), a.stored()), []*delivery{a}
}

// giveUp records a delivery as failed for good. It is under way until that is stored, so that it is
// not delivered any more.
func (o *outbox) giveUp(d *delivery, why error) {
	if d.logged != nil {
		d.logged.refused = why
		o.node.shared.refuse(d)
		return
	}
	writes, answers := o.ending(d, why)
	o.node.engine.Put(writes, func(err error) {
		switch {
		case err == nil:
			d.done = true
			o.send(answers)
			o.counts.stored(writes)
			o.next(d)
		case errors.Is(err, ErrNoSpace):
			later.SendAfter(o.node.rt.Context(), mostPause, func() { o.giveUp(d, why) })
		}
		d.tried(false)
	})
}
