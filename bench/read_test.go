package bench

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/bench/catalogue"
	"github.com/freerun-go/freerun/programs"
)

// sample is a row with all fields that a row can have.
var sample = Row{
	Program: "ddb", Variant: "units", Kind: programs.Freerun, Processors: 32, Size: 200, Operations: 5600, NsPerOp: 81.5, NsMin: 80, NsMax: 83.25,
	CPUNsPerOp: 150, CPUNsMin: 140, CPUNsMax: 160, AllocsPerOp: 1.5, Checksum: "5600", Runs: 5, Simulated: true,
	Params: []Setting{{"keys", 1024}, {"hot", 50}, {"servers", 4}, {"clients", 28}},
	Figures: []programs.Figure{
		{Name: "busy_share", Doc: "busy_share", Value: []float64{0.5, 1}},
		{Name: "ops_per_sec", Doc: "ops_per_sec", Value: 1234.5},
		{Name: "steals", Doc: "steals", Value: []uint64{3, 4}},
		{Name: "sum", Doc: "sum", Value: uint64(7)},
	},
	Origin: Origin{Machine: "2 × this", System: "linux/amd64", Go: "go1.26", Commit: "abc", Command: "freerun bench", Date: "2026-11-21"},
}

func TestReadRowsReadsWhatIsWritten(t *testing.T) {
	text, err := json.Marshal(sample)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := ReadRows(strings.NewReader("\n"+string(text)+"\n\n"+string(text)), catalogue.WithRivals())
	if err != nil || len(rows) != 2 {
		t.Fatalf("%d rows, error %v", len(rows), err)
	}
	if !reflect.DeepEqual(rows[1], sample) {
		t.Errorf("read %+v\nwant %+v", rows[1], sample)
	}
}

// TestReadRowsKeepsWhatCameBefore reads files that break off or go wrong in their third line.
func TestReadRowsKeepsWhatCameBefore(t *testing.T) {
	text, err := json.Marshal(sample)
	if err != nil {
		t.Fatal(err)
	}
	good := string(text) + "\n"
	for bad, says := range map[string]string{
		good[:100]:             "unexpected end",
		"table":                "invalid character",
		"{}":                   "it needs a program",
		`{"program":"` + "ddb": "unexpected end",
		strings.Replace(good, `"ddb"`, `"dbd"`, 1):               `no program "dbd"`,
		strings.Replace(good, `"units"`, `"unit"`, 1):            `ddb has no variant "unit"`,
		strings.Replace(good, `"hot":50`, `"hot":"much"`, 1):     "hot: ",
		strings.Replace(good, `"sum":7`, `"sum":{}`, 1):          "sum is {}, and must be a number",
		strings.Replace(good, `"sum":7`, `"sum":null`, 1):        "sum is null",
		strings.Replace(good, `"steals":[3`, `"steals":["3"`, 1): "steals is ",
		strings.Repeat("x", maxLine+1):                           "too long",
	} {
		rows, err := ReadRows(strings.NewReader(good+good+bad), catalogue.WithRivals())
		var wrong *RowError
		if !errors.As(err, &wrong) || wrong.Line != 3 || !strings.Contains(err.Error(), says) {
			t.Errorf("%.60s: error %v, want one of line 3 with %q", bad, err, says)
		}
		if len(rows) != 2 {
			t.Errorf("%.60s: %d rows, want the two before", bad, len(rows))
		}
	}
}

// TestReadRowsWithoutSomeParameters: a newer catalogue has parameters that old rows lack.
func TestReadRowsWithoutSomeParameters(t *testing.T) {
	rows, err := ReadRows(strings.NewReader(`{"program":"fib","variant":"futures","processors":1,"ns_per_op":5}`), catalogue.WithRivals())
	if err != nil || len(rows) != 1 || len(rows[0].Params) != 0 || rows[0].Kind != programs.Freerun {
		t.Errorf("rows %+v, error %v", rows, err)
	}
	if slices.ContainsFunc(rows, func(r Row) bool { return r.Simulated }) {
		t.Error("a row that does not say so is simulated")
	}
}
