package report

import (
	"context"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/bench/catalogue"
	"github.com/freerun-go/freerun/programs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// everything returns all rows that a report shows. The programs with figures beside their time are
// measured, at the smallest size. The times of the others are made up.
func everything(t *testing.T) rows {
	t.Helper()
	request := bench.Request{Programs: []string{bench.All}, Quick: true, Runs: 2, Processors: []int{1, 2}, Runner: quickly, Params: []string{
		"ddb.size=50", "hot.size=10", "hot.pause=0", "hot.depth=10,100", "cas.size=100",
	}}
	plan, err := bench.NewPlan(catalogue.WithRivals(), request)
	if err != nil {
		t.Fatal(err)
	}
	var all rows
	if err := plan.Run(t.Context(), nil, func(r bench.Row) error { all = append(all, r); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

// quickly is a bench.Runner that runs only the programs whose figures the report draws.
func quickly(_ context.Context, p *programs.Program, v programs.Variant, cfg programs.Config) (programs.Result, error) {
	if p.Name == "ddb" || p.Name == "hot" || p.Name == "cas" {
		return p.Run(v, cfg)
	}
	return programs.Result{Operations: 10, Elapsed: time.Duration(100 + 10*len(v.Name)), CPU: 1000, Checksum: "-"}, nil
}

// known returns a run of fib in which two processors were 1.8 times as fast as one, with a band
// around it, and used 1.5 times the CPU time.
func known() rows {
	row := func(processors int, ns, low, high, cpu float64) bench.Row {
		return bench.Row{
			Program: "fib", Variant: "futures", Kind: programs.Freerun, Processors: processors, Size: 25, Operations: 1000,
			NsPerOp: ns, NsMin: low, NsMax: high, CPUNsPerOp: cpu, CPUNsMin: cpu, CPUNsMax: cpu, Runs: 5,
			Params: []bench.Setting{{Name: "work", Value: 100}}, Origin: bench.Origin{Machine: "2 × <this>", Commit: "c0ffee"},
		}
	}
	return rows{row(1, 180, 170, 190, 180), row(2, 100, 90, 120, 270)}
}

// further returns simulated rows of the same run, on one, two and more processors.
func further() rows {
	all := known()
	for i := range all {
		all[i].Simulated = true
	}
	four := all[1]
	four.Processors, four.NsPerOp, four.NsMin, four.NsMax = 32, 10, 10, 10
	return append(all, four)
}
