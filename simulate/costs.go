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
	// Alone is the program's time on one processor of this machine, and Pair that on two: the
	// shortest of Runs. Pair is 0 if the machine has one processor only.
	Alone float64 `json:"alone_ns"`
	Pair  float64 `json:"pair_ns,omitempty"`
	Runs  int     `json:"runs"`
	// Outside is how many goroutines of Host.Go the program has at a time. Each has a core of its
	// own in a simulation, and a thread in the real runs as long as the machine has one for it.
	Outside int `json:"outside,omitempty"`
	// Spread tells how much the real runs on one processor differed: by what share of Alone their
	// median is above it. A greater one than some 0.1 means that other programs disturbed the
	// measurement. A disturbance that lasted from the first run to the last does not show in it:
	// compare Alone with that of another calibration.
	Spread float64 `json:"spread,omitempty"`
	// Size is the size of the program when it was measured, for readers; 0 if the caller has not
	// said it. Costs are for any size at which the pieces cost the same: docs/simulation.md.
	Size int `json:"size,omitempty"`
	// Model is the model by which to simulate: 0 or 1 for the first, and 2 for the second, which
	// charges for more. docs/simulation.md describes both.
	Model int `json:"-"`

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
	// Hit is the time of a look at a queue that has not changed since the last one. It and
	// Collector are for the second model.
	Hit float64 `json:"hit_ns,omitempty"`
	// Collector has what Go's garbage collector costs the program. All is 0 if the program ran
	// without a cycle of the collector.
	Collector struct {
		// Bytes is what the program allocates for each operation.
		Bytes float64 `json:"bytes_per_operation"`
		// PerByte is the time that the collector computes for each allocated byte.
		PerByte float64 `json:"ns_per_byte"`
		// Cycle is how many bytes are allocated between two cycles, and Stop how long a cycle stops
		// all processors, on two real ones: a quarter of the cycles take less.
		Cycle float64 `json:"bytes_per_cycle"`
		Stop  float64 `json:"stop_ns"`
		// Share is the collector's part of the program's time on one processor. The pieces contain
		// it.
		Share float64 `json:"share"`
	} `json:"collector,omitzero"`

	Pieces []Piece `json:"pieces"`
}

// Piece is a stretch of an operation that other processors cannot observe, and its cost. It begins
// and ends at an edge: an operation has begun, sends or has ended, or the processor passes from one
// operation to the next.
type Piece struct {
	Operation string  `json:"operation"` // the operation that runs, or ran last
	From      string  `json:"from"`      // passing, begun, sending, ending or forking
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

// mostCost limits costs, in nanoseconds or bytes: greater ones would lead beyond what clocks count.
const mostCost = 1e12

func (c *Costs) check() error {
	if len(c.Pieces) == 0 {
		return fmt.Errorf("%w: there are no pieces", ErrCosts)
	}
	if c.Model < 0 || c.Model > Models {
		return fmt.Errorf("%w: the model is %d, and must be 1 or 2", ErrCosts, c.Model)
	}
	for _, of := range []struct {
		name string
		cost float64
	}{
		{"transfer_ns", c.Transfer},
		{"wake_ns", c.Wake},
		{"wakeup_ns", c.Wakeup},
		{"look_ns", c.Look},
		{"probe_ns", c.Probe},
		{"steal_ns", c.Steal},
		{"hit_ns", c.Hit},
		{"bytes_per_operation", c.Collector.Bytes},
		{"ns_per_byte", c.Collector.PerByte},
		{"bytes_per_cycle", c.Collector.Cycle},
		{"stop_ns", c.Collector.Stop},
		{"share", c.Collector.Share},
	} {
		if !(of.cost >= 0 && of.cost <= mostCost) {
			return fmt.Errorf("%w: %s is %v, and must be at least 0 and at most %v", ErrCosts, of.name, of.cost, mostCost)
		}
	}
	if c.Collector.Share >= 1 {
		return fmt.Errorf("%w: the share of the collector is %v, and must be below 1", ErrCosts, c.Collector.Share)
	}
	type kind struct{ operation, from, to string }
	known := map[kind]bool{}
	for _, p := range c.Pieces {
		k := kind{p.Operation, p.From, p.To}
		if known[k] {
			return fmt.Errorf("%w: there are two pieces of %q from %s to %s", ErrCosts, p.Operation, p.From, p.To)
		}
		known[k] = true
		for _, name := range []string{p.From, p.To} {
			if _, known := edgeOf(name); !known {
				return fmt.Errorf("%w: %q is no edge of a piece; there are %v", ErrCosts, name, edgeNames)
			}
		}
		if !(p.Cost > 0 && p.Cost <= mostCost) {
			return fmt.Errorf("%w: a piece of %q costs %v, and must cost more than 0, or time stands still, and at most %v", ErrCosts, p.Operation, p.Cost, mostCost)
		}
		if p.Count < 0 {
			return fmt.Errorf("%w: a piece of %q counts %d times", ErrCosts, p.Operation, p.Count)
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

// newTariff returns the tariff of the costs. Pieces cost the given share of what they say.
func newTariff(c *Costs, share float64) *tariff {
	t := &tariff{names: newNames(), exact: map[piece]float64{}}
	var counts [len(edgeNames)][len(edgeNames)]float64
	all := 0.0
	for _, p := range c.Pieces {
		n := float64(max(1, p.Count))
		p.Cost *= share
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
