package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
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
	// Tolerance, if above 0, has a variant that was calibrated compared with real runs on 1 and 2
	// processors. Costs whose simulation is further from them than this share of their time are not
	// written. [Tolerance] is usual.
	Tolerance float64
	// Model is the model by which to simulate: 0 or 1 for the first, 2 for the second. See
	// docs/simulation.md.
	Model   int
	costs   []*calibrated
	refused map[string]error // why the costs of a name are not written
	fresh   bool
}

// attempts is how often a variant is calibrated at most, while it is refused.
const attempts = 3

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
		k := &calibrated{Costs: c}
		if err := json.Unmarshal(text, &struct{ Real *[]Real }{&k.Real}); err != nil {
			return nil, usagef("the calibration cannot be used: %v", err)
		}
		s.costs = append(s.costs, k)
	}
	return s, nil
}

// Fresh reports whether the simulator has calibrated a variant, and has costs to write for it.
func (s *Simulator) Fresh() bool { return s.fresh }

// WriteCosts writes all costs that the simulator knows and has not refused, as [NewSimulator] reads
// them.
func (s *Simulator) WriteCosts(w io.Writer) error {
	kept := []*calibrated{}
	for _, c := range s.costs {
		if s.refused[c.Program] == nil {
			kept = append(kept, c)
		}
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(kept)
}

// Refused returns an error that says which costs [Simulator.WriteCosts] does not write, and why. It
// returns nil if all are written. The error wraps [ErrUnlike].
func (s *Simulator) Refused() (all error) {
	for _, name := range slices.Sorted(maps.Keys(s.refused)) {
		all = errors.Join(all, fmt.Errorf("the costs of %s are not kept: %w", name, s.refused[name]))
	}
	return all
}

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

// Now implements [programs.Machine].
func (m *machine) Now() time.Time { return m.rt.Now() }

// Settle implements [programs.Machine].
func (m *machine) Settle() error { return m.rt.Quiesce(context.Background()) }

// Run is a [Runner]. It leaves GOMAXPROCS alone.
func (s *Simulator) Run(_ context.Context, p *programs.Program, v programs.Variant, cfg programs.Config) (programs.Result, error) {
	var result programs.Result
	run := func(on *simulate.Host) (time.Duration, error) {
		m := &machine{Host: on}
		cfg := programs.Config{Processors: cfg.Processors, Values: cfg.Values, Runtime: m.newRuntime}
		if on.Virtual {
			cfg.Machine = m
		}
		var err error
		result, err = p.Run(v, cfg)
		return result.Elapsed, err
	}
	c, err := s.costsOf(costsName(p, v, cfg.Values), cfg.Values.Get(programs.Size), run)
	if err != nil {
		return programs.Result{}, err
	}
	r, err := c.by(s.Model).Run(run, cfg.Processors)
	if err != nil {
		return programs.Result{}, err
	}
	return asMeasured(result, r), nil
}

// costsOf returns the costs of a name, and measures them with that size if they are not known.
func (s *Simulator) costsOf(name string, size int, run program) (*calibrated, error) {
	if i := slices.IndexFunc(s.costs, func(c *calibrated) bool { return c.Program == name }); i >= 0 {
		return s.costs[i], nil
	}
	c, unlike, err := s.measure(name, run)
	if err != nil {
		return nil, err
	}
	if c.Size = size; unlike == nil {
		s.fresh = true
	} else {
		if s.refused == nil {
			s.refused = map[string]error{}
		}
		s.refused[name] = unlike
	}
	s.costs = append(s.costs, c)
	return c, nil
}

// measure calibrates a program until its costs stand the comparison with real runs, a few times at
// most: the machine may have been busy.
func (s *Simulator) measure(name string, run program) (c *calibrated, unlike, err error) {
	var earlier []Real
	for range attempts {
		if s.Calibrating != nil {
			s.Calibrating(name)
		}
		costs, err := simulate.Calibrate(name, run)
		if err == nil && len(s.costs) > 0 {
			takeMachine(costs, s.costs[0].Costs)
		}
		if c = (&calibrated{costs, earlier}); err != nil || s.Tolerance <= 0 {
			return c, nil, err
		}
		if unlike = c.compare(run, s.Tolerance); unlike == nil || !errors.Is(unlike, ErrUnlike) {
			return c, nil, unlike
		}
		earlier = c.Real
	}
	return c, unlike, nil
}

// takeMachine gives new costs those of known ones that are the machine's and not the program's, if
// they were measured. Programs of one calibration are of one machine: a moment in which a line took
// six times as long must not set one of them apart from the others.
func takeMachine(c, known *simulate.Costs) {
	if known.Assumed {
		return
	}
	c.Transfer, c.Assumed = known.Transfer, false
	c.Wake, c.Wakeup = known.Wake, known.Wakeup
	c.Look, c.Probe, c.Hit, c.Steal = known.Look, known.Probe, known.Hit, known.Steal
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
func (s *Simulator) simulable(p *programs.Program, wanted []string) ([]programs.Variant, error) {
	var some []programs.Variant
	for _, v := range p.Variants {
		if v.Simulable || onlySecond(v) && s.Model == 2 {
			some = append(some, v)
		}
	}
	if len(some) == 0 {
		if by := s.otherModel(p, wanted...); by != "" {
			return nil, usagef("%s cannot be simulated%s", p.Name, by)
		}
		return nil, usagef("%s cannot be simulated: only operations are simulated, and it measures other code", p.Name)
	}
	names := VariantNames([]*programs.Program{{Variants: some}})
	for _, name := range wanted {
		if _, has := p.Variant(name); has && !slices.Contains(names, name) {
			return nil, usagef("%s/%s cannot be simulated%s; of %s can be: %s", p.Name, name, s.otherModel(p, name), p.Name, strings.Join(names, ", "))
		}
	}
	return some, nil
}

// onlySecond reports whether only the second model can simulate a variant.
func onlySecond(v programs.Variant) bool { return v.Forks || v.Outside }

// otherModel says by which other model one of the wanted variants can be simulated; no names stand
// for all variants. It returns "" if there is no such model.
func (s *Simulator) otherModel(p *programs.Program, wanted ...string) string {
	for _, v := range p.Variants {
		if onlySecond(v) && s.Model != 2 && (len(wanted) == 0 || slices.Contains(wanted, v.Name)) {
			return " by the first model (--model 2 can)"
		}
	}
	return ""
}
