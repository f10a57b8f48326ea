package simulate

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Costs are the costs that a simulation charges, in nanoseconds. [Calibrate] measures them; they
// can be written, read and changed. Equal costs and an equal program give an equal simulation.
// Several goroutines may use them at the same time while none changes them.
type Costs struct {
	// Program is the caller's name for what was measured.
	Program string `json:"program"`
	// Alone is the program's time on one processor of this machine: the shortest of Runs.
	Alone float64 `json:"alone_ns"`
	Runs  int     `json:"runs"`

	// Transfer is the time to get a cache line that another processor has written last. Meanwhile
	// other processors that want the line wait.
	Transfer float64 `json:"transfer_ns"`
	// Assumed says that usual values stand for what only several processors do: there is only one,
	// or another program kept the second one busy.
	Assumed bool `json:"assumed,omitempty"`
	// Wake is the time that waking a sleeping processor takes the processor that wakes it. Wakeup
	// is the time until the woken one runs.
	Wake   float64 `json:"wake_ns"`
	Wakeup float64 `json:"wakeup_ns"`
	// Look is the time of a searcher's look at all queues, besides Probe for each other processor.
	Look  float64 `json:"look_ns"`
	Probe float64 `json:"probe_ns"`
	// Steal is the time that a theft takes the thief.
	Steal float64 `json:"steal_ns"`

	Pieces []Piece `json:"pieces"`
}

// Piece is a stretch of an operation that other processors cannot observe, and its cost. It begins
// and ends at an edge: an operation has begun, sends or has ended, or the processor passes from one
// operation to the next.
type Piece struct {
	Operation string  `json:"operation"` // the operation that runs, or ran last
	From      string  `json:"from"`      // passing, begun, sending or ending
	To        string  `json:"to"`        // one of the same
	Count     int     `json:"count"`     // the number of pieces of which Cost is the mean
	Cost      float64 `json:"ns"`
}

// ErrCosts says that costs cannot be used.
var ErrCosts = errors.New("simulate: these are no costs")

// ReadCosts reads costs that package encoding/json has written. An error about the content is
// [ErrCosts]; others are those of r.
func ReadCosts(r io.Reader) (*Costs, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	c := new(Costs)
	if err := json.Unmarshal(text, c); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCosts, err)
	}
	return c, c.check()
}

func (c *Costs) check() error {
	if len(c.Pieces) == 0 {
		return fmt.Errorf("%w: there are no pieces", ErrCosts)
	}
	for _, of := range []struct {
		name string
		cost float64
	}{
		{"transfer_ns", c.Transfer}, {"wake_ns", c.Wake}, {"wakeup_ns", c.Wakeup}, {"look_ns", c.Look}, {"probe_ns", c.Probe}, {"steal_ns", c.Steal},
	} {
		if !(of.cost >= 0) {
			return fmt.Errorf("%w: %s is %v, and must be at least 0", ErrCosts, of.name, of.cost)
		}
	}
	for _, p := range c.Pieces {
		for _, name := range []string{p.From, p.To} {
			if _, known := edgeOf(name); !known {
				return fmt.Errorf("%w: %q is no edge of a piece; there are %v", ErrCosts, name, edgeNames)
			}
		}
		if !(p.Cost > 0) {
			return fmt.Errorf("%w: a piece of %q costs %v, and must cost more than 0, or time stands still", ErrCosts, p.Operation, p.Cost)
		}
	}
	return nil
}

// tariff finds the cost of a piece. A piece that did not occur when the costs were measured costs
// the mean of the pieces with the same edges, or else of all pieces.
type tariff struct {
	names
	exact   map[piece]float64
	alike   [len(edgeNames)][len(edgeNames)]float64
	average float64
}

func newTariff(c *Costs) *tariff {
	t := &tariff{names: newNames(), exact: map[piece]float64{}}
	var counts [len(edgeNames)][len(edgeNames)]float64
	all := 0.0
	for _, p := range c.Pieces {
		n := float64(max(1, p.Count))
		from, _ := edgeOf(p.From)
		to, _ := edgeOf(p.To)
		t.exact[piece{t.of(p.Operation), from, to}] = p.Cost
		t.alike[from][to] += n * p.Cost
		counts[from][to] += n
		t.average += n * p.Cost
		all += n
	}
	t.average /= all
	for from := range t.alike {
		for to := range t.alike[from] {
			if n := counts[from][to]; n > 0 {
				t.alike[from][to] /= n
			}
		}
	}
	return t
}

func (t *tariff) cost(p piece) float64 {
	if cost, known := t.exact[p]; known {
		return cost
	}
	if cost := t.alike[p.from][p.to]; cost > 0 {
		return cost
	}
	return t.average
}
