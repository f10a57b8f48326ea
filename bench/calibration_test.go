package bench

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun/bench/catalogue"
	"github.com/freerun-go/freerun/programs"
)

var update = flag.Bool("update", false, "draw the tables of docs/simulation.md and docs/benchmarks.md, and the figures of README.md, anew")

const (
	calibration    = "../docs/simulation/costs.json"
	simulationPage = "../docs/simulation.md"
)

// repositoryCosts returns the calibration of the repository.
func repositoryCosts(t *testing.T) *Simulator {
	t.Helper()
	file, err := os.Open(calibration)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	s, err := NewSimulator(file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// programOf returns the program, variant and values of which the costs are.
func programOf(t *testing.T, c *calibrated) (*programs.Program, programs.Variant, programs.Values) {
	t.Helper()
	words := strings.Fields(c.Program)
	name, variant, _ := strings.Cut(words[0], "/")
	all := catalogue.WithRivals()
	i := slices.Index(ProgramNames(all), name)
	if i < 0 {
		t.Fatalf("%s: there is no such program", c.Program)
	}
	set := map[string]int{programs.Size: c.Size}
	for _, word := range words[1:] {
		param, value, _ := strings.Cut(word, "=")
		n, err := strconv.Atoi(value)
		if err != nil {
			t.Fatalf("%s: %v", c.Program, err)
		}
		set[param] = n
	}
	v, known := all[i].Variant(variant)
	values, err := all[i].Values(true, set)
	if !known || err != nil || costsName(all[i], v, values) != c.Program {
		t.Fatalf("%s: no such variant with such values: %v", c.Program, err)
	}
	return all[i], v, values
}

// TestCalibrationIsLikeRealRuns: for each program that the repository's calibration covers,
// simulations with 1 and 2 processors take as long as the shortest real runs did, to 15%, but for
// programs with goroutines outside. The simulations are those of the code as it is. If a change of
// the scheduler is the cause of a failure, `make calibration` measures anew.
func TestCalibrationIsLikeRealRuns(t *testing.T) {
	s := repositoryCosts(t)
	if len(s.costs) < 5 {
		t.Fatalf("%d programs only", len(s.costs))
	}
	some := s.costs
	if raced {
		some = some[:2]
	}
	for _, c := range some {
		p, v, values := programOf(t, c)
		if len(c.Real) != 2 {
			t.Errorf("%s: compared with %d real runs, want 2", c.Program, len(c.Real))
		}
		for i, real := range c.Real {
			if real.Processors != i+1 || !(real.Least > 0) {
				t.Fatalf("%s: %+v", c.Program, real)
			}
			r, err := s.Run(context.Background(), p, v, programs.Config{Processors: real.Processors, Values: values})
			if errors.Is(err, errors.ErrUnsupported) {
				s.Model = 2
				r, err = s.Run(context.Background(), p, v, programs.Config{Processors: real.Processors, Values: values})
				s.Model = 0
			}
			if err != nil {
				t.Fatal(err)
			}
			if c.Outside > 0 { // reported, without a bar
				continue
			}
			now := Real{Least: real.Least, Simulated: float64(r.Elapsed)}
			for _, x := range []Real{real, now} {
				if !(math.Abs(excess(x)) <= Tolerance) {
					t.Errorf("%s with %d processors: %v simulated, %v real, %+.0f%%",
						c.Program, real.Processors, time.Duration(x.Simulated), time.Duration(x.Least), 100*excess(x))
				}
			}
		}
	}
}

// TestThereIsOneCalibration: no other file of the documents holds costs.
func TestThereIsOneCalibration(t *testing.T) {
	err := filepath.WalkDir("../docs", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".json" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if filepath.ToSlash(name) != calibration && strings.Contains(string(text), `"pieces"`) {
			t.Errorf("%s holds costs, too", name)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// comparison returns the table of what the calibration predicts, and what was measured.
func comparison(s *Simulator) string {
	var w strings.Builder
	fmt.Fprint(&w, "| program, size | 1: predicted | real | error | 2: predicted | real | error |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for _, c := range s.costs {
		fmt.Fprintf(&w, "| %s, %d |", c.Program, c.Size)
		for _, r := range c.Real {
			off := percent(excess(r))
			if r.Shares {
				off = "(" + off + ")"
			}
			real := fmt.Sprintf("%.2f", r.Least/1e6)
			if c.Outside > 0 { // its runs take several courses
				real += fmt.Sprintf(" (%.2f)", r.Least/1e6*(1+[]float64{c.Spread, c.PairSpread}[r.Processors-1]))
			}
			fmt.Fprintf(&w, " %.2f | %s | %s |", r.Simulated/1e6, real, off)
		}
		fmt.Fprintln(&w)
	}
	return w.String()
}

// excess returns how much longer the simulation takes than the real run, as a share of the latter.
func excess(r Real) float64 { return r.Simulated/r.Least - 1 }

// percent returns a share as the documents write it.
func percent(share float64) string {
	return strings.Replace(fmt.Sprintf("%+.0f%%", 100*share), "-", "−", 1)
}

// TestPageHasTheComparison: docs/simulation.md has the calibration's table; -update draws it.
func TestPageHasTheComparison(t *testing.T) {
	holdTable(t, "costs.json", comparison(repositoryCosts(t)), "go test ./bench -run TestPageHasTheComparison -update")
}
