package partition

import "github.com/freerun-go/freerun/cluster/internal/engine"

// Carrier sends commands to a partition of a store that no machine has used yet. Nobody waits for
// their outcomes. One goroutine at a time uses it: the turn of its world.
//
// Those of a session have the numbers of any session; it must be open, and its owner closes it when
// nothing has been heard of it for long enough. Those without one are as what the first partition
// has sent at place 0 of its log, where no entry is: their numbers are before all that it ever
// sends.
type Carrier struct{ lane lane }

// NewCarrier returns a carrier to a partition, in the session with a name, or in none if that is 0:
// of these there is one.
func NewCarrier(to int, session uint64, log engine.Log, world World) *Carrier {
	return &Carrier{lane{log: log, world: world, to: to, from: Source{Session: session}, most: mostUnder}}
}

// Send sends a command behind those that were sent before. accepted is called once the log has it.
func (c *Carrier) Send(unit string, body []byte, told bool, accepted func(err error)) {
	n := Number{Index: c.lane.last.Index + 1}
	c.lane.put(&Command{N: n, Told: told, Unit: unit, Body: body}, accepted)
}

// End has it send no more: what is not accepted fails with an error.
func (c *Carrier) End() { c.lane.end(errEnded) }
