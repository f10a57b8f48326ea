package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/simulate"
)

// Simulator carries out measurements on virtual processors (package simulate). It calibrates a
// variant at the first measurement, unless it already knows the costs. [NewSimulator] makes one. A
// Simulator must be used by one goroutine at a time.
type Simulator struct {
	// Calibrating, if set, is called before a variant is calibrated. Calibration takes as long as
	// some ten runs.
	Calibrating func(name string)
	costs       []*simulate.Costs
	fresh       bool
}

// NewSimulator returns a simulator that knows the costs which [Simulator.WriteCosts] has written to
// r. A nil r stands for no costs. If r holds anything else, the error is a [*UsageError].
func NewSimulator(r io.Reader) (*Simulator, error) {
	s := new(Simulator)
	if r == nil {
		return s, nil
	}
	var all []json.RawMessage
	if err := json.NewDecoder(r).Decode(&all); err != nil {
		return nil, usagef("the calibration cannot be read: %v; simulate writes one anew to a file that does not exist", err)
	}
	for _, text := range all {
		c, err := simulate.ReadCosts(strings.NewReader(string(text)))
		if err != nil {
			return nil, usagef("the calibration cannot be used: %v", err)
		}
		s.costs = append(s.costs, c)
	}
	return s, nil
}

// Fresh reports whether the simulator has calibrated a variant.
func (s *Simulator) Fresh() bool { return s.fresh }

// WriteCosts writes all costs that the simulator knows, as [NewSimulator] reads them.
func (s *Simulator) WriteCosts(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(s.costs)
}

// Costs returns the costs that the simulator knows. The slice is the caller's own.
func (s *Simulator) Costs() []*simulate.Costs { return slices.Clone(s.costs) }

// costsName is the name of the costs of a variant with its values, except for the size: a greater
// size makes more of the same pieces, while any other parameter may make other pieces.
func costsName(p *programs.Program, v programs.Variant, values programs.Values) string {
	name := p.Name + "/" + v.Name
	for _, param := range p.ParamNames()[1:] {
		name += fmt.Sprintf(" %s=%d", param, values.Get(param))
	}
	return name
}

// program runs on a host, real or simulated, and returns the time that it took there.
type program = func(on *simulate.Host) (time.Duration, error)

// machine is a [programs.Machine] of virtual processors.
type machine struct {
	*simulate.Host
	rt *freerun.Runtime // of the run
}

func (m *machine) newRuntime(options ...freerun.Option) *freerun.Runtime {
	m.rt = m.New(options...)
	return m.rt
}

// Settle implements [programs.Machine].
func (m *machine) Settle() error { return m.rt.Quiesce(context.Background()) }

// Run is a [Runner]. It leaves GOMAXPROCS alone.
func (s *Simulator) Run(_ context.Context, p *programs.Program, v programs.Variant, cfg programs.Config) (programs.Result, error) {
	var result programs.Result
	on := func(processors int) program {
		return func(on *simulate.Host) (time.Duration, error) {
			m := &machine{Host: on}
			cfg := programs.Config{Processors: processors, Values: cfg.Values, Runtime: m.newRuntime}
			if on.Virtual() {
				cfg.Machine = m
			}
			var err error
			result, err = p.Run(v, cfg)
			return result.Elapsed, err
		}
	}
	c, err := s.costsOf(costsName(p, v, cfg.Values), on(1))
	if err != nil {
		return programs.Result{}, err
	}
	r, err := c.Run(on(cfg.Processors), cfg.Processors)
	if err != nil {
		return programs.Result{}, err
	}
	return asMeasured(result, r), nil
}

func (s *Simulator) costsOf(name string, program program) (*simulate.Costs, error) {
	if i := slices.IndexFunc(s.costs, func(c *simulate.Costs) bool { return c.Program == name }); i >= 0 {
		return s.costs[i], nil
	}
	if s.Calibrating != nil {
		s.Calibrating(name)
	}
	c, err := simulate.Calibrate(name, program)
	if err != nil {
		return nil, err
	}
	s.fresh = true
	s.costs = append(s.costs, c)
	return c, nil
}

// asMeasured returns the result with the figures that only the simulation knows, and without those
// that were measured of this machine.
func asMeasured(result programs.Result, r simulate.Result) programs.Result {
	result.Allocs, result.CPU = 0, 0
	busy := make([]uint64, len(r.Busy))
	for i := range r.Busy {
		result.CPU += r.Busy[i] + r.Searching[i]
		busy[i] = uint64(min(100, 100*r.Busy[i]/max(1, r.Elapsed)))
	}
	messages := make([]uint64, len(r.Stats.Processors))
	var raids, taken uint64
	for i, p := range r.Stats.Processors {
		messages[i] = p.Messages
		raids += p.Steals
		taken += p.Stolen
	}
	for _, f := range []programs.Figure{
		{Name: "messages_per_processor", Doc: "messages run by each processor", Value: messages},
		{
			Name: "steals", Doc: "successful raids, and the units and free operations that they took",
			Value: []uint64{raids, taken}, Labels: []string{"raids", "tasks taken"},
		},
		{Name: "busy_percent", Doc: "share of the time that each processor was busy, in %", Value: busy},
	} {
		if !slices.ContainsFunc(result.Figures, func(other programs.Figure) bool { return other.Name == f.Name }) {
			result.Figures = append(result.Figures, f)
		}
	}
	return result
}

// simulable returns the wanted variants of a program that can be simulated. If there are none, or a
// wanted one is not among them, the error is a [*UsageError].
func simulable(p *programs.Program, wanted []string) ([]programs.Variant, error) {
	var some []programs.Variant
	for _, v := range p.Variants {
		if v.Simulable {
			some = append(some, v)
		}
	}
	if len(some) == 0 {
		return nil, usagef("%s cannot be simulated: only operations are simulated, and it measures other code", p.Name)
	}
	names := VariantNames([]*programs.Program{{Variants: some}})
	for _, name := range wanted {
		if _, has := p.Variant(name); has && !slices.Contains(names, name) {
			return nil, usagef("%s/%s cannot be simulated; of %s can be: %s", p.Name, name, p.Name, strings.Join(names, ", "))
		}
	}
	return some, nil
}
