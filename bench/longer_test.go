package bench

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/bench/catalogue"
)

// TestPageHasLongerRuns holds that docs/simulation.md has the table of
// docs/simulation/longer.jsonl, which `make longer` writes; -update draws it. Each program was run
// by one and by two processors, and simulated by the second model, and by the first if that can;
// all at one commit.
func TestPageHasLongerRuns(t *testing.T) {
	file, err := os.Open("../docs/simulation/longer.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := ReadRows(file, catalogue.WithRivals())
	if err != nil {
		t.Fatal(err)
	}
	var names []string // in order of appearance
	times := map[string]map[string]float64{}
	for _, r := range rows {
		name := fmt.Sprintf("%s/%s, %d", r.Program, r.Variant, r.Size)
		if !slices.Contains(names, name) {
			names = append(names, name)
			times[name] = map[string]float64{}
		}
		model := "real"
		switch {
		case strings.Contains(r.Origin.Command, "--model 2"):
			model = "model 2"
		case r.Simulated:
			model = "model 1"
		}
		column := fmt.Sprintf("%d: %s", r.Processors, model)
		if simulated := strings.Contains(r.Origin.Command, "docs/simulation/costs.json"); times[name][column] > 0 || simulated != r.Simulated || r.Origin.Commit == "" || r.Origin.Commit != rows[0].Origin.Commit || r.Origin.Machine != rows[0].Origin.Machine {
			t.Errorf("%s, %s: twice, or it does not say by which costs, or it is of another commit or machine than the first: %+v", name, column, r.Origin)
		}
		times[name][column] = r.NsMin
	}
	columns := []string{"1: model 1", "1: model 2", "1: real", "2: model 1", "2: model 2", "2: real"}
	var w strings.Builder
	fmt.Fprintf(&w, "| program, size | %s |\n| --- |%s\n", strings.Join(columns, " | "), strings.Repeat(" ---: |", len(columns)))
	for _, name := range names {
		fmt.Fprintf(&w, "| %s |", name)
		for _, column := range columns {
			switch took := times[name][column]; {
			case took >= 1000:
				fmt.Fprintf(&w, " %.0f |", took)
			case took > 0:
				fmt.Fprintf(&w, " %.3g |", took)
			case strings.HasSuffix(column, "model 1") && strings.Contains(name, "/join"):
				fmt.Fprint(&w, " – |")
			default:
				t.Errorf("%s lacks %s", name, column)
			}
		}
		fmt.Fprintln(&w)
	}
	holdTable(t, "longer.jsonl", w.String(), "go test ./bench -run TestPageHasLongerRuns -update")
}
