package cluster

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// Source:     as suspects.go has it for one process
// Sketch:     an operation that ends the process is delivered again by the next owner, and would
//             end each machine in turn. So an owner notes, before its first delivery, from which
//             checkpoint it goes on
//             an owner that finds such a note, of the checkpoint from which it goes on itself, is
//             careful: it delivers one command after another, and notes each, as alone, before.
//             Once the checkpoint has moved on it is careful no more
//             a command that was alone when an owner ended is suspected, and refused for good if it
//             is alone when the next one ends, too, all from the same checkpoint
// Invariants: N1 A command is delivered after the note is stored.
//             N2 While an owner is careful the command that is noted is delivered, or none.
// Not invariant: that the owners before have ended with their processes. They may have been cut
//             off, or killed: then the command that is refused is innocent. It is recorded, not
//             lost.
// Cost:       a write for each time that a partition gets another owner
// Checked by: of package clustertest TestMachinesBooks

// partNote is what the store has of the deliveries of a partition.
type partNote struct {
	from  uint64 // behind the checkpoint
	alone uint64 // the command that is delivered alone; 0 for none
	// suspect is the command that was alone when the owner before has ended; 0 for none.
	suspect uint64
}

// guard holds deliveries back until they are noted. The turn of the partition.
type guard struct {
	part     *part
	owner    *partition.Owner
	from     uint64   // behind the checkpoint from which the owner goes on, so that it is not 0
	note     partNote // as stored
	revision uint64   // of the note
	phase    guardPhase
	suspect  uint64 // as in the notes of this owner
	killer   uint64 // the command that is refused; 0 for none
	held     []*delivery
	under    bool   // a note is stored, or a command is delivered alone
	storing  bool   // a note is stored
	fails    func() // called when the owner may fail; nil before it is to
}

type guardPhase byte

const (
	asleep guardPhase = iota // nothing was delivered
	noting                   // the note is read, and stored
	careful
	opened
	failing // no more is delivered
)

// errEndsMachine is the error of what is refused.
var errEndsMachine = errors.New("cluster: three processes ended, or were cut off, while it was delivered, the last two while nothing else was; it ends the process, or was unlucky each time")

// deliver delivers a command, once it may be.
func (g *guard) deliver(d *delivery) {
	switch g.phase {
	case opened:
		g.send(d)
		return
	case failing:
		return
	}
	g.held = append(g.held, d)
	switch g.phase {
	case asleep:
		g.phase = noting
		g.read()
	case careful:
		g.step()
	}
}

// send delivers; what is set aside is refused.
func (g *guard) send(all ...*delivery) {
	for _, d := range all {
		if d.number == g.killer {
			d.logged.refused = errEndsMachine
		}
	}
	g.part.of.node.outbox.send(all)
}

// isOver reports whether the owner has ended.
func (g *guard) isOver() bool { return g.part.owner.Load() != g.owner }

// read reads the note of the owner before.
func (g *guard) read() {
	pt := g.part
	pt.of.engine.Read(pt.p, []byte(layout.Note), func(value []byte, revision uint64, err error) {
		pt.turn.Run(func() {
			if g.isOver() {
				return
			}
			if err == nil {
				g.note, err = decodeNote(value)
			}
			switch {
			case errors.Is(err, engine.ErrUncertain):
				pt.turn.After(leastPause, g.read)
			case err != nil:
				pt.of.fails(g.owner, err)
			default:
				g.revision = revision
				g.begin()
			}
		})
	})
}

// begin stores the note of this owner.
func (g *guard) begin() {
	next := opened
	if g.note.from == g.from {
		next = careful
		if g.note.alone != 0 && g.note.alone == g.note.suspect {
			g.killer = g.note.alone
		}
		g.suspect = cmp.Or(g.note.alone, g.note.suspect)
	}
	g.store(partNote{g.from, g.killer, g.suspect}, func() {
		g.phase = next
		g.step()
	}, g.read)
}

// store stores a note, and goes on, or else does what follows when another one may be stored.
func (g *guard) store(n partNote, then, failed func()) {
	pt := g.part
	g.under, g.storing = true, true
	pt.of.engine.Swap(pt.p, []engine.Write{{Key: []byte(layout.Note), Value: n.encode()}}, g.revision, func(revision uint64, err error) {
		pt.turn.Run(func() {
			g.under, g.storing = false, false
			if g.isOver() {
				return
			}
			if g.phase == failing {
				if err == nil {
					g.revision = revision
				}
				g.acquit()
				return
			}
			if err != nil {
				pt.turn.After(leastPause, failed)
				return
			}
			g.note, g.revision = n, revision
			then()
		})
	})
}

// step delivers what is held: all of it, or the next command alone.
func (g *guard) step() {
	switch {
	case g.under || g.isOver() || g.phase == failing:
		return
	case g.phase == careful && g.owner.Stored() >= g.from:
		g.phase = opened
	}
	if g.phase == opened {
		held := g.held
		g.held = nil
		g.send(held...)
		return
	}
	if len(g.held) == 0 {
		return
	}
	d := g.held[0]
	alone := func() {
		g.under, g.held = true, g.held[1:]
		d.then = func(bool) {
			g.part.turn.Run(func() {
				g.under = false
				g.step()
			})
		}
		g.send(d)
	}
	g.store(partNote{g.from, d.number, g.suspect}, alone, g.readAgain)
}

// acquits has the note say that nothing has ended the owner, which is about to fail, and calls
// then.
func (g *guard) acquits(then func()) {
	switch {
	case g.phase == failing:
		return
	case g.isOver(), g.phase < careful:
		then()
		return
	}
	g.phase, g.held, g.fails = failing, nil, then
	if !g.storing { // else then
		g.acquit()
	}
}

// acquit stores a note that says that nothing has ended the owner.
func (g *guard) acquit() {
	pt := g.part
	pt.of.engine.Swap(pt.p, []engine.Write{{Key: []byte(layout.Note), Value: partNote{}.encode()}}, g.revision, func(uint64, error) {
		pt.turn.Run(g.fails) // it may not know it: then it is one owner more that has ended
	})
}

// readAgain reads the note after a write of it that may have failed, and goes on.
func (g *guard) readAgain() {
	pt := g.part
	pt.of.engine.Read(pt.p, []byte(layout.Note), func(_ []byte, revision uint64, err error) {
		pt.turn.Run(func() {
			switch {
			case g.isOver():
			case err != nil:
				pt.turn.After(leastPause, g.readAgain)
			default:
				g.revision = revision
				g.step()
			}
		})
	})
}

func (n partNote) encode() []byte {
	b := []byte{layout.Version}
	for _, number := range []uint64{n.from, n.alone, n.suspect} {
		b = binary.AppendUvarint(b, number)
	}
	return b
}

// decodeNote reads a note; nil is none.
func decodeNote(b []byte) (n partNote, err error) {
	if b == nil {
		return n, nil
	}
	damaged := fmt.Errorf("%w: the note of a partition has another form; a newer program has written it", ErrStateLost)
	if len(b) == 0 || b[0] != layout.Version {
		return n, damaged
	}
	rest := b[1:]
	for _, number := range []*uint64{&n.from, &n.alone, &n.suspect} {
		value, used := binary.Uvarint(rest)
		if used <= 0 {
			return partNote{}, damaged
		}
		*number, rest = value, rest[used:]
	}
	if len(rest) > 0 {
		return partNote{}, damaged
	}
	return n, nil
}
