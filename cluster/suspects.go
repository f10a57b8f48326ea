package cluster

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// Source:     poison messages, as queues have them, whose consumers may die of them
// Sketch:     an operation that ends the process is delivered again by the next one, and would end
//             each. So what is left of an earlier process is noted before it is delivered, and the
//             write that has its effect, or records its failure, removes the note
//             no note:        noted together, with all others without one, and delivered
//             together:       the process ended under it, or under one of those: a suspect.
//                             Suspects are delivered one after another, before the others; each is
//                             noted as alone for that time
//             alone:          a second process ended, under it: it is recorded as failed
// Invariants: S1 What is left is delivered after its note is stored.
//             S2 At most one delivery is noted as alone.
//             S3 What is left is in the queue of its unit from the beginning: so later messages to
//                the unit come after it (I2).
// Not invariant: that nothing else runs while a suspect is delivered. The program may end of that,
//             or be killed: then the suspect may be innocent. It is recorded, not lost.
// Cost:       only what is left pays: an entry more in the store, and a write for each delivery, as
//             those to one unit come one after another
// Checked by: TestEndsTheProcess, TestSuspect…

// A suspicion is what a note in the store says about a delivery that is left of an earlier process.
type suspicion byte

const (
	unnoted suspicion = iota
	together
	alone
)

// errEndsProcess is the error of a recorded failure.
var errEndsProcess = errors.New("cluster: two processes ended while it was delivered, the second one while nothing else that was left was; it ends the process, or the process was killed twice")

// noteKey returns the key of the note of a delivery.
func (d *delivery) noteKey() []byte { return layout.Numbered(layout.Note, d.number) }

// noted returns the entry of a note.
func (d *delivery) noted(as suspicion) engine.Write {
	return engine.Write{Key: d.noteKey(), Value: []byte{byte(as)}}
}

// removal returns the writes that remove a delivery.
func (d *delivery) removal() []engine.Write {
	if d.left {
		return []engine.Write{{Key: d.key}, {Key: d.noteKey()}}
	}
	return []engine.Write{{Key: d.key}}
}

// replay delivers what is left of earlier processes. Its steps come one after another.
type replay struct {
	outbox   *outbox
	suspects []*delivery
	rest     []*delivery
	writes   []engine.Write // to be stored with the next note
	answers  []*delivery    // in writes
	pause    time.Duration
}

// readNotes reads the notes of the last process.
func (o *outbox) readNotes() (notes map[uint64]suspicion, err error) {
	notes = map[uint64]suspicion{}
	err = o.node.engine.Scan([]byte(layout.Note), nil, func(key, value []byte) error {
		if len(value) != 1 || suspicion(value[0]) != together && suspicion(value[0]) != alone {
			return fmt.Errorf("%w: a note of a delivery has another form; a newer program has written it", ErrStateLost)
		}
		number, err := layout.NumberOf(key)
		notes[number] = suspicion(value[0])
		o.last.Store(max(o.last.Load(), number))
		return err
	})
	return notes, err
}

// replay begins to deliver what is left, in the order of the numbers.
func (o *outbox) replay(left []*delivery, notes map[uint64]suspicion) {
	r := &replay{outbox: o, pause: leastPause}
	for _, d := range left {
		d.left = true
		switch notes[d.number] {
		case alone:
			writes, answers := o.ending(d, errEndsProcess)
			r.writes, r.answers = append(r.writes, writes...), append(r.answers, answers...)
		case together:
			r.suspects = append(r.suspects, d)
			o.lines.keep(d)
		default:
			r.rest = append(r.rest, d)
			o.lines.keep(d)
		}
		delete(notes, d.number)
	}
	// The others are of deliveries that were tried again, and had their effect.
	for _, number := range slices.Sorted(maps.Keys(notes)) {
		r.writes = append(r.writes, engine.Write{Key: layout.Numbered(layout.Note, number)})
	}
	r.step()
}

// step delivers the next suspect; or all others, after the last one.
func (r *replay) step() {
	for len(r.suspects) > 0 {
		d := r.suspects[0]
		r.suspects = r.suspects[1:]
		if !r.outbox.lines.isFirst(d) {
			r.outbox.free(d) // behind one to its unit that is tried again
			continue
		}
		d.then = func(again bool) { r.tried(d, again) }
		r.writes = append(r.writes, d.noted(alone))
		r.store(func() { r.outbox.free(d) })
		return
	}
	for _, d := range r.rest {
		r.writes = append(r.writes, d.noted(together))
	}
	if len(r.writes) > 0 {
		r.store(func() { r.outbox.free(r.rest...) })
	}
}

// tried is called when a suspect has been delivered. If it is tried again, it is not alone then.
func (r *replay) tried(d *delivery, again bool) {
	if again {
		r.writes = append(r.writes, d.noted(together))
	}
	r.step()
}

// store stores notes, and then goes on. The runtime is not quiescent meanwhile.
func (r *replay) store(then func()) {
	rt, writes, answers := r.outbox.node.rt, r.writes, r.answers
	r.writes, r.answers = nil, nil
	goesOn := freerun.NewPromise[struct{}](rt.Context())
	r.outbox.node.engine.Put(writes, func(err error) {
		switch {
		case err == nil:
			r.outbox.counts.stored(writes)
			r.pause = leastPause
			r.outbox.send(answers)
			then()
		case isOver(err): // it is left to the next process
		default: // without room nothing can have an effect, either
			later.SendAfter(rt.Context(), r.pause, func() {
				r.writes, r.answers = writes, answers
				r.store(then)
			})
			r.pause = min(2*r.pause, mostPause)
		}
		goesOn.Resolve(struct{}{}, nil)
	})
}

// free delivers what was kept: the first of each queue now, others in their turn.
func (o *outbox) free(kept ...*delivery) {
	for _, d := range o.lines.free(kept) {
		o.deliver(d)
	}
}

// tried tells the replay, if it waits for that, that a delivery has been tried, and whether it is
// tried again.
func (d *delivery) tried(again bool) {
	if then := d.then; then != nil {
		d.then = nil
		then(again)
	}
}

// forget removes all notes: this process did not end under what they name. If that cannot be
// stored, the next process has suspects, which does no harm.
func (o *outbox) forget() error {
	var writes []engine.Write
	err := o.node.engine.Scan([]byte(layout.Note), nil, func(key, _ []byte) error {
		writes = append(writes, engine.Write{Key: slices.Clone(key)})
		return nil
	})
	if len(writes) > 0 {
		o.node.engine.Put(writes, func(error) {})
	}
	return err
}
