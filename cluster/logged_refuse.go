package cluster

import (
	"errors"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// Sketch:     the function of a kind says that there is no such unit: a command to it fails with
//             that, as on one machine. Its outcome is to be in a record, and no unit can write
//             that: so the records are written as they are, with the outcome, and with their places
//             in the log; all those of an operation on several units
//             what a unit has told another one is tried again first, for mostHopeless
// Invariants: F1 As P1 and P3: nothing is written before all that its units were sent before it is
//             done.
//             F2 A unit that is in memory comes to have the record that was written, or its next
//             write is refused, or what comes to it next has it load that.
// Checked by: of package clustertest TestMachinesHopeless, TestMachinesBehind

// mostHopeless is how long what was told is tried again for a unit whose state cannot be made, and
// an operation on several units of a kind that has no room for them. What the partition has sent
// since waits for that.
const mostHopeless = 10 * time.Second

// notLoaded is the error of a state that could not be read, in the error of an activation: that is
// not the kind's.
type notLoaded struct{ error }

func (e notLoaded) Unwrap() error { return e.error }

// isHopeless reports whether a delivery is to fail, since its unit's state cannot be made.
func (d *delivery) isHopeless(err error) bool {
	var failed *freerun.ActivationError
	var load notLoaded
	crowded := isCrowded(err) && d.places != nil // more units than the kind may have at once
	if d.logged == nil || !crowded && (!errors.As(err, &failed) || errors.As(err, &load) || isCrowded(err) || isOver(err)) {
		return false
	}
	if d.logged.command.From.Session != 0 && !crowded {
		return true
	}
	now := d.to.node.rt.Now()
	since, _ := d.logged.part.hopeless.LoadOrStore(d.logged.command.Unit, now)
	return now.Sub(since.(time.Time)) >= mostHopeless
}

// hopeless is a delivery that fails without its units.
type hopeless struct {
	of      *delivery
	why     error
	batches []*batch // of the units, as far as they were read
}

// failWithoutUnits has a delivery fail for good, with an error that says that a state cannot be
// made. It is under way until that is stored.
func (s *shared) failWithoutUnits(d *delivery, why error) { (&hopeless{of: d, why: why}).read() }

// read reads the record of the next unit.
func (h *hopeless) read() {
	pt, units := h.of.logged.part, h.of.units()
	n := len(h.batches)
	if n == len(units) {
		pt.turn.Run(h.write)
		return
	}
	key := []byte(units[n])
	pt.of.engine.Read(pt.p, key, func(value []byte, revision uint64, err error) {
		stored, state := &storedRecord{}, []byte(nil)
		if err == nil && value != nil {
			stored, state, err = decodeStored(value)
		}
		if len(state) == 0 {
			state = nil
		}
		switch {
		case err != nil || h.of.logged.before[n] > stored.Last:
			h.gives(h.why) // it is tried again
		case stored.Has(h.of.number): // an owner of before has written it
			h.of.done = true
			pt.hadRun(h.of, stored)
			h.gives(nil)
		default:
			h.batches = append(h.batches, &batch{
				logged: &loggedBatch{owner: h.of.logged.owner, next: *stored, expected: revision},
				writes: []engine.Write{{Key: key, Value: state}},
			})
			h.read()
		}
	})
}

// write writes the records. In the turn of the partition.
func (h *hopeless) write() {
	d, pt := h.of, h.of.logged.part
	if d.isOver() || !d.logged.owner.MayWrite() {
		h.gives(errOver)
		return
	}
	outcome, sends, beside := d.refusal(pt.of.room.cut(h.why))
	for n, b := range h.batches {
		b.logged.next.Write, b.logged.next.Last = "", d.number
		if n == 0 {
			pt.of.room.cutOutcomes(b.logged.next.Outcomes)
			b.logged.next.Ran(d.number, d.logged.command, outcome, sends)
			b.writes = append(b.writes, beside...)
		}
	}
	pt.swapAll(h.batches, func(_ []engine.Write, _ uint64, err error) {
		if err != nil {
			h.gives(h.why) // it is tried again
			return
		}
		d.done = true
		pt.turn.Run(func() {
			d.isDone(outcome, sends)
			pt.forgetStates(d.units())
		})
		h.gives(h.why)
	})
}

// gives ends the try.
func (h *hopeless) gives(err error) {
	o := &h.of.to.node.outbox
	if h.of.isOver() {
		o.counts.closes(h.of) // and it stays under way
		return
	}
	h.of.underway.Store(false)
	o.settled(h.of, err)
}

// refusal returns what the record of its unit has of a delivery that has failed, and what is stored
// beside it.
func (d *delivery) refusal(why error) (outcome []byte, sends []partition.Send, beside []engine.Write) {
	switch {
	case d.wantsOutcome():
		outcome = layout.Result{Err: encodeError(why), Refused: true}.Encode()
	case d.isQuestion():
		sends = append(sends, d.to.node.sendOf(d.answer(nil, why)))
	case d.op != nil: // a wake comes again
		beside = append(beside, d.failureIn(0, why))
	}
	return outcome, sends, beside
}

// forgetStates has units that are in memory, and do nothing, drop their states: their records were
// written without them. The others find that with their next write. In the turn of the partition.
func (pt *part) forgetStates(units []string) {
	for _, unit := range units {
		for at := range pt.cells.Range {
			c := at.(*cell)
			if string(c.key) != unit {
				continue
			}
			c.unit.Run(func(*freerun.Context, any) {
				if c.phase.Load() == idle {
					c.unit.Drop()
				}
			}, func(error) {})
		}
	}
}
