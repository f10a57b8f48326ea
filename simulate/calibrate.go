package simulate

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/freerun-go/freerun"
)

const (
	fitRuns   = 6 // the costs of pieces are adjusted as often as this at most
	closeFit  = 0.002
	leastCost = 1.0 // nanoseconds of a piece
	// mostExcess is by what share a simulation that is fitted to a real run may be off.
	mostExcess = 0.15
)

// Calibrate measures what the program costs on one processor of this machine, and what this machine
// takes for what only several processors do: moving cache lines, waking, stealing. The name is for
// readers of the costs. If there are costs of earlier calibrations, then what the machine takes is
// that of the first of those, unless it is assumed.
//
// Calibrate waits. It runs the program for some seconds and sets GOMAXPROCS meanwhile. Other
// programs may disturb it, so the best of several runs counts, and of many samples the better ones.
// Alone and Pair of the costs tell whether simulations by them are like real runs, and Spread how
// disturbed they were; Calibrate accepts any disturbance. In those runs timers take their time. So
// a program that waits for them for more than five seconds is an error that wraps
// [errors.ErrUnsupported].
//
// The pieces between two instants at which the scheduler chooses a processor are timed in a run of
// a deterministic runtime. Timing itself takes time, the same for all pieces by assumption.
// Calibrate takes so much off each piece that a simulated run on one processor takes as long as a
// real one. Programs with [Host.Go] are simulated for that with as many threads as they really had.
// What an empty piece of a goroutine outside takes is taken off first, and where nothing fits, as
// much of each other piece, if that is nearer.
func Calibrate(name string, p func(on *Host) (time.Duration, error), earlier ...*Costs) (*Costs, error) {
	if p == nil {
		return nil, errors.New("simulate: Calibrate needs a program")
	}
	c := &Costs{Program: name}
	if first, err := record(p); err != nil { // before a real run, which would not tell a standstill
		return nil, err
	} else if first.idled > mostIdle {
		return nil, idledError(first.idled)
	}
	if _, err := realRun(p, 1, 1); err != nil { // warms up
		return nil, err
	}
	run, err := record(p)
	if err != nil {
		return nil, err
	}
	c.Outside = run.outside
	if err := c.measureReal(p); err != nil {
		return nil, err
	}
	c.addMachine(append(slices.Clip(earlier), nil)[0])
	if err := c.measureCollector(p); err != nil {
		return nil, err
	}
	empty, emptyOutside, err := measureEmpty()
	if err != nil {
		return nil, err
	}
	recorded := lessened(run.pieces, emptyOutside, true)
	fitted, err := c.fit(p, recorded)
	if err != nil || fitted <= mostExcess || c.Outside == 0 {
		return c, err
	}
	nearest := c.Pieces
	c.Pieces = lessened(recorded, empty, false)
	if excess, err := c.excess(p); err != nil || math.Abs(excess) <= fitted {
		return c, err
	}
	c.Pieces = nearest
	return c, nil
}

// onOne runs f with GOMAXPROCS set to 1.
func onOne(f func() error) error {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	return f()
}

// recordedRun is a run of a program whose pieces were timed.
type recordedRun struct {
	pieces  []Piece
	outside int           // how many goroutines of Host.Go the program has at a time
	idled   time.Duration // for how long it waited for timers while nothing ran
}

// record runs the program, and times its pieces.
func record(p program) (recordedRun, error) {
	r := newRecorder()
	h := &Host{Virtual: true, processors: 1, schedule: r}
	err := onOne(func() error {
		runtime.GC()
		if _, err := h.watched(p); errors.Is(err, errStandstill) || r.refused == nil {
			return err // the program still has the recorder, or there is nothing to add
		}
		return r.refused
	})
	if err != nil {
		return recordedRun{}, err
	}
	pieces := r.pieces()
	if !slices.ContainsFunc(pieces, func(p Piece) bool { return p.Operation != outsideName }) {
		return recordedRun{}, errors.New("simulate: the program has run no operation")
	}
	return recordedRun{pieces, h.mostly, r.idled}, nil
}

// measureEmpty returns what a piece of an operation, and one of a goroutine outside, seems to take
// in which nothing happens.
func measureEmpty() (inside, outside float64, err error) {
	const times = 4096
	run, err := record(func(on *Host) (time.Duration, error) {
		rt := on.New()
		block := func(c *freerun.Context) (int, error) {
			for range times {
				c.Block(func() {})
			}
			return 0, nil
		}
		_, err := freerun.Go(rt.Context(), block).Wait(context.Background())
		on.Go(func() {
			for range times {
				rt.Now()
			}
		})()
		return 0, errors.Join(err, rt.Close())
	})
	for _, p := range run.pieces {
		switch {
		case p.From != passing.String() || p.To != passing.String() || p.Count < times/2:
		case p.Operation == outsideName:
			outside = p.Cost
		default:
			inside = p.Cost
		}
	}
	return inside, outside, err
}

// fit fits the pieces to the run on one processor: those of operations, and those of goroutines
// outside if that does not do. It returns by what share of the real run the simulation is off.
func (c *Costs) fit(p program, recorded []Piece) (off float64, err error) {
	c.Pieces = recorded
	off, err = c.fitPieces(p, false)
	if err != nil || off <= mostExcess || c.Outside == 0 {
		return off, err
	}
	return c.fitPieces(p, true)
}

// fitPieces takes the same off each piece of operations, or of goroutines outside, by the secant
// method, until the simulation of one processor takes as long as the real one took. It returns by
// what share it is off; infinitely, if pieces would have to take longer than they were recorded.
func (c *Costs) fitPieces(p program, outside bool) (off float64, err error) {
	recorded, n := c.Pieces, 0.0
	for _, x := range recorded {
		if (x.Operation == outsideName) == outside {
			n += float64(x.Count)
		}
	}
	var less, lastLess, lastError, excess float64
	for i := range fitRuns {
		c.Pieces = lessened(recorded, less, outside)
		if excess, err = c.excess(p); err != nil {
			return 0, err
		}
		if math.Abs(excess) <= closeFit {
			break
		}
		late := excess * c.Alone
		slope := n // nanoseconds saved by one less for each piece
		if i > 0 && less != lastLess && late != lastError {
			slope = (lastError - late) / (less - lastLess)
		}
		lastLess, lastError = less, late
		if slope <= 0 {
			break
		}
		less += late / slope
	}
	if less < 0 && c.Outside > 0 {
		return math.Inf(1), nil
	}
	return math.Abs(excess), nil // which shows when one processor is simulated
}

// excess returns by what share the simulation of one processor takes longer than the real run. A
// program with goroutines outside is simulated by the second model, with the threads that it really
// had.
func (c *Costs) excess(p program) (share float64, err error) {
	if err := c.check(); err != nil {
		return 0, err
	}
	by := *c
	if c.Outside > 0 {
		by.Model, by.Threads = 2, c.threads(1)
	}
	m := newMachine(&by, 1)
	m.fitting = true
	r, err := by.run(p, m)
	return float64(r.Elapsed)/c.Alone - 1, err
}

// lessened takes the same off each piece of operations, or of goroutines outside.
func lessened(recorded []Piece, by float64, outside bool) []Piece {
	all := slices.Clone(recorded)
	for i := range all {
		if (all[i].Operation == outsideName) == outside {
			all[i].Cost = max(leastCost, all[i].Cost-by)
		}
	}
	return all
}
