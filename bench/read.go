package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/freerun-go/freerun/programs"
)

// RowError is the error for a line that holds no row.
type RowError struct {
	Line int   // its number, from 1
	Err  error // the fault of the line
}

// Error implements error.
func (e *RowError) Error() string {
	return fmt.Sprintf("line %d is no row as freerun bench --json writes them: %v", e.Line, e.Err)
}

// Unwrap returns the fault of the line.
func (e *RowError) Unwrap() error { return e.Err }

// maxLine is the length of the longest line that can be a row.
const maxLine = 1 << 20

// ReadRows reads rows as [Row.MarshalJSON] writes them, one a line. The catalogue supplies the
// fields that a line does not have. ReadRows skips empty lines. At the first line that is no row it
// stops, and returns the rows before it and a [*RowError]. It waits for r.
func ReadRows(r io.Reader, catalogue []*programs.Program) ([]Row, error) {
	var rows []Row
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		row, err := parseRow(line, catalogue)
		if err != nil {
			return rows, &RowError{n, err}
		}
		rows = append(rows, row)
	}
	if err := lines.Err(); err != nil {
		return rows, &RowError{n + 1, err}
	}
	return rows, nil
}

// parseRow reads one row.
func parseRow(line []byte, catalogue []*programs.Program) (Row, error) {
	var known struct {
		Program     string
		Variant     string
		Processors  int
		Size        int
		Operations  uint64
		NsPerOp     float64 `json:"ns_per_op"`
		NsMin       float64 `json:"ns_min"`
		NsMax       float64 `json:"ns_max"`
		CPUNsPerOp  float64 `json:"cpu_ns_per_op"`
		CPUNsMin    float64 `json:"cpu_ns_min"`
		CPUNsMax    float64 `json:"cpu_ns_max"`
		AllocsPerOp float64 `json:"allocs_per_op"`
		Checksum    string
		Runs        int
		Simulated   bool
	}
	fields := make(map[string]json.RawMessage)
	if err := json.Unmarshal(line, &fields); err != nil {
		return Row{}, err
	}
	if err := json.Unmarshal(line, &known); err != nil {
		return Row{}, err
	}
	row := Row{
		Program: known.Program, Variant: known.Variant, Processors: known.Processors, Size: known.Size, Operations: known.Operations,
		NsPerOp: known.NsPerOp, NsMin: known.NsMin, NsMax: known.NsMax,
		CPUNsPerOp: known.CPUNsPerOp, CPUNsMin: known.CPUNsMin, CPUNsMax: known.CPUNsMax, AllocsPerOp: known.AllocsPerOp,
		Checksum: known.Checksum, Runs: known.Runs, Simulated: known.Simulated,
	}
	if row.Program == "" || row.Variant == "" || row.Processors < 1 || row.NsPerOp <= 0 {
		return Row{}, fmt.Errorf("it needs a program, a variant, processors and ns_per_op")
	}
	if err := row.explain(catalogue); err != nil {
		return Row{}, err
	}
	for _, name := range []string{
		"program", "variant", "processors", "size", "operations", "ns_per_op", "ns_min", "ns_max", "cpu_ns_per_op", "cpu_ns_min", "cpu_ns_max", "allocs_per_op",
		"checksum", "runs", "simulated",
	} {
		delete(fields, name)
	}
	return row, row.takeOther(fields)
}

// explain sets the fields of the row that the catalogue knows: those of the variant and of the
// parameters.
func (r *Row) explain(catalogue []*programs.Program) error {
	i := slices.IndexFunc(catalogue, func(p *programs.Program) bool { return p.Name == r.Program })
	if i < 0 {
		return fmt.Errorf("there is no program %q", r.Program)
	}
	v, ok := catalogue[i].Variant(r.Variant)
	if !ok {
		return fmt.Errorf("%s has no variant %q", r.Program, r.Variant)
	}
	r.Kind = v.Kind
	for _, param := range catalogue[i].Params {
		if param.Name != programs.Size {
			r.Params = append(r.Params, Setting{Name: param.Name})
		}
	}
	return nil
}

// takeOther distributes the fields that not all rows have: parameters, the origin of the row, and
// figures, which are all remaining fields.
func (r *Row) takeOther(fields map[string]json.RawMessage) error {
	var present []Setting
	for _, p := range r.Params {
		value, ok := fields[p.Name]
		if !ok {
			continue // the row is older than this parameter
		}
		delete(fields, p.Name)
		if err := json.Unmarshal(value, &p.Value); err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		present = append(present, p)
	}
	r.Params = present
	for _, o := range r.Origin.fields() {
		value, ok := fields[o.name]
		if !ok {
			continue
		}
		delete(fields, o.name)
		if err := json.Unmarshal(value, o.value); err != nil {
			return fmt.Errorf("%s: %w", o.name, err)
		}
	}
	for name, value := range fields {
		v, err := figureValue(value)
		if err != nil {
			return fmt.Errorf("%s is %s, and must be a number or several", name, value)
		}
		r.Figures = append(r.Figures, programs.Figure{Name: name, Doc: name, Value: v})
	}
	slices.SortFunc(r.Figures, func(a, b programs.Figure) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// figureValue reads a number or a slice of numbers as programs make them: whole numbers as uint64.
func figureValue(text json.RawMessage) (any, error) {
	if string(text) == "null" { // null would decode into any type
		return nil, errors.New("null is no number")
	}
	var whole uint64
	if json.Unmarshal(text, &whole) == nil {
		return whole, nil
	}
	var wholes []uint64
	if json.Unmarshal(text, &wholes) == nil {
		return wholes, nil
	}
	var one float64
	if json.Unmarshal(text, &one) == nil {
		return one, nil
	}
	var several []float64
	err := json.Unmarshal(text, &several)
	return several, err
}
