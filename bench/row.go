package bench

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"

	"github.com/freerun-go/freerun/programs"
)

// Row is the outcome of the measurements of one variant with one number of processors.
type Row struct {
	Program     string            // the program's name
	Variant     string            // the variant's name
	Kind        programs.Kind     // the variant's kind: freerun, plain Go, or another library
	Processors  int               // the number of processors
	Point       string            // parameters that tell it from other rows, such as "producers=4"
	Size        int               // the program's parameter of that name
	Operations  uint64            // operations of one run
	NsPerOp     float64           // nanoseconds per operation, the median over the runs
	NsMin       float64           // the least
	NsMax       float64           // the greatest
	CPUNsPerOp  float64           // nanoseconds of CPU time per operation, the median; 0 if unknown
	CPUNsMin    float64           // the least
	CPUNsMax    float64           // the greatest
	AllocsPerOp float64           // heap objects allocated per operation, the median over the runs
	Checksum    string            // the result
	Runs        int               // the number of runs
	Params      []Setting         // the program's other parameters
	Figures     []programs.Figure // further figures, of the run whose time is the median
	Simulated   bool              // whether processors and times are those of a model
	Origin      Origin            // where the row is from; empty if not noted

	// samples has the nanoseconds per operation of each run, in their order; nil for a row that was
	// read.
	samples []float64
}

// alike reports whether two rows can be compared.
func (r Row) alike(other Row) bool {
	return r.Program == other.Program && r.Point == other.Point && r.Processors == other.Processors
}

// Origin tells where a row is from. An unknown field is empty.
type Origin struct {
	Machine string // the processors and the memory
	System  string // the operating system and the architecture
	Go      string // the version of Go
	Commit  string // the revision of the source
	Command string // the command line
	Date    string // the day, such as 2026-11-21
}

// Setting is a parameter with its value.
type Setting struct {
	Name  string // the parameter's name
	Value int    // its value
}

func newRow(j job, c *cell) Row {
	var turns []float64
	for _, s := range c.samples {
		turns = append(turns, s.NsPerOp())
	}
	samples := slices.Clone(c.samples)
	slices.SortFunc(samples, func(a, b programs.Result) int {
		switch x, y := a.NsPerOp(), b.NsPerOp(); {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	var times, cpu, allocs []float64
	for _, s := range samples {
		times = append(times, s.NsPerOp())
		cpu = append(cpu, s.CPUNsPerOp())
		allocs = append(allocs, s.AllocsPerOp())
	}
	middle := samples[(len(samples)-1)/2]
	row := Row{
		Program:     j.program.Name,
		Variant:     c.variant.Name,
		Kind:        c.variant.Kind,
		Processors:  c.processors,
		Size:        j.values.Get(programs.Size),
		Operations:  middle.Operations,
		NsPerOp:     median(times),
		NsMin:       times[0],
		NsMax:       times[len(times)-1],
		CPUNsPerOp:  median(cpu),
		CPUNsMin:    slices.Min(cpu),
		CPUNsMax:    slices.Max(cpu),
		AllocsPerOp: median(allocs),
		Checksum:    middle.Checksum,
		Runs:        len(samples),
		Figures:     middle.Figures,
		Point:       j.point,
		samples:     turns,
	}
	for _, param := range j.program.Params {
		if param.Name != programs.Size {
			row.Params = append(row.Params, Setting{param.Name, j.values.Get(param.Name)})
		}
	}
	return row
}

// median returns the middle value, or the mean of the two middle ones. values must not be empty.
func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// field is a name with its value in JSON.
type field struct {
	name  string
	value any
}

// MarshalJSON implements [json.Marshaler]. It writes one object whose fields keep their order:
// first those that every program has, then the program's other parameters and figures, then the
// origin. [ReadRows] reads it.
func (r Row) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	fields := []field{
		{"program", r.Program},
		{"variant", r.Variant},
		{"processors", r.Processors},
		{"size", r.Size},
		{"operations", r.Operations},
		{"ns_per_op", round(r.NsPerOp)},
		{"ns_min", round(r.NsMin)},
		{"ns_max", round(r.NsMax)},
	}
	if r.CPUNsPerOp > 0 {
		fields = append(fields,
			field{"cpu_ns_per_op", round(r.CPUNsPerOp)},
			field{"cpu_ns_min", round(r.CPUNsMin)},
			field{"cpu_ns_max", round(r.CPUNsMax)},
		)
	}
	fields = append(fields,
		field{"allocs_per_op", round(r.AllocsPerOp)},
		field{"checksum", r.Checksum},
		field{"runs", r.Runs},
	)
	if r.Simulated {
		fields = append(fields, field{"simulated", true})
	}
	for _, s := range r.Params {
		fields = append(fields, field{s.Name, s.Value})
	}
	for _, f := range r.Figures {
		fields = append(fields, field{f.Name, f.Value})
	}
	for _, o := range r.Origin.fields() {
		if *o.value != "" {
			fields = append(fields, field{o.name, *o.value})
		}
	}
	for i, f := range fields {
		separator := byte(',')
		if i == 0 {
			separator = '{'
		}
		out.WriteByte(separator)
		name, err := json.Marshal(f.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(f.value)
		if err != nil {
			return nil, err
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(value)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// namedString is a field of an Origin with its name in JSON.
type namedString struct {
	name  string
	value *string
}

// fields returns pointers to the fields of the origin, each with its name in JSON.
func (o *Origin) fields() []namedString {
	return []namedString{
		{"machine", &o.Machine}, {"system", &o.System}, {"go", &o.Go}, {"commit", &o.Commit}, {"command", &o.Command}, {"date", &o.Date},
	}
}

// round keeps three decimals. More would pretend to a precision that no clock has.
func round(x float64) float64 { return math.Round(x*1000) / 1000 }
