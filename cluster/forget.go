package cluster

import (
	"fmt"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Sketch:     an operation forgets the unit: the phase is parting while another write is under way,
//             and then forgetting, with the write that has the operation's effect. What comes
//             meanwhile, reads too, is put behind (cell_again.go)
//             the write is done: the state is dropped, and the unit loads it again, as if it had
//             never been there. If it has failed, the unit loads what was there before
// Invariants: F1 No operation runs on the state of a unit that was forgotten.

// Forget has the unit of the running operation lose its state and its timers, if and only if the
// operation has its effect: its record is removed from the store, [Keys] does not have it any more,
// and a message that comes later finds what the function of the kind makes of its key. What others
// have told it and is under way still comes, and so do the answers to its questions; outcomes of
// operations with an identity ([Once]) are kept for their time.
//
// What the operation changes after the call is lost, too; what it tells is told. To forget a unit
// after a time of silence, have each operation set one timer anew:
//
//	cluster.TellAfter(c, 30*24*time.Hour, "forget", forget, struct{}{}) // forget calls Forget
//
// An operation may come after the timer has told and before forget runs, most of all at a start,
// which tells what has passed. It sets the timer anew, and forget comes all the same: so forget
// looks in the state whether the silence has lasted.
//
// Call it in an operation of a durable unit, on its goroutine; otherwise it returns [ErrOutside].
// It does not wait.
func Forget(c *freerun.Context) error {
	r, err := runIn(c)
	if err != nil {
		return fmt.Errorf("cluster: Forget: %w", err)
	}
	r.forgets = true
	return nil
}

// part has the unit write what is pending, the last of which forgets it. In the unit's turn.
func (c *cell) part() {
	for {
		switch p := c.phase.Load(); p {
		case writing, more:
			if c.phase.CompareAndSwap(p, parting) {
				return // to its end
			}
		case idle, ready, broken:
			c.writeParting()
			return
		default: // failed: the unit is told already, and what is pending fails
			return
		}
	}
}

// partNext is part, after a write that is done.
func (c *cell) partNext(*freerun.Context, any) {
	if c.phase.Load() == parting {
		c.writeParting()
	}
}

// writeParting begins the write that removes the record. In the unit's turn; no other one is under
// way.
func (c *cell) writeParting() {
	b := &batch{cell: c, runs: c.takePending(), readers: c.readers.Swap(nil)}
	b.writes = append(b.writes, engine.Write{Key: c.key})
	if t := c.timersOf(); t != nil {
		t.list = nil
		c.addWake(b)
	}
	if c.logged != nil {
		b.logged = c.logged.nextRecord()
	}
	for _, r := range b.runs {
		b.add(c.kind.node, r)
	}
	c.putAs(forgetting, b)
}
