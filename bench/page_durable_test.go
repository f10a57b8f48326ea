package bench

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/bench/durable"
	"github.com/freerun-go/freerun/programs"
)

// durableLines are the lines of the table of durable units, in the order of the page. A figure of
// several numbers gives its first, which is the median.
var durableLines = []struct {
	words  string
	at     map[string]int
	figure string // the figure's name; "" for the time
}{
	{"µs a command, 4,096 in flight, 100,000 keys", durableAt(100_000, 4096, 0), ""},
	{"the same, 1,000 keys", durableAt(1000, 4096, 0), ""},
	{"µs a command, one at a time, 1,000 keys", durableAt(1000, 1, 0), ""},
	{"p50 of these, in the run whose mean is the median", durableAt(1000, 1, 0), "answer_ns"},
	{"an empty commit of bbolt just before, p50", durableAt(1000, 1, 0), "commit_ns"},
	{"a write of 4,096 bytes and its fsync just before, p50", durableAt(1000, 1, 0), "sync_ns"},
	{"µs a read of a committed state, 4,096 in flight, 1,000 keys", durableAt(1000, 4096, 1), ""},
}

func durableAt(keys, flight, reads int) map[string]int {
	return map[string]int{durable.Keys: keys, durable.Flight: flight, durable.Reads: reads}
}

// durableTable draws the table of durable units beside databases, in µs, with 2 processors: medians
// of the runs, and their ranges.
func durableTable(t *testing.T, runs []runRows) string {
	t.Helper()
	var w strings.Builder
	w.WriteString("| | units | bbolt by hand | SQLite | DBOS |\n| --- | ---: | ---: | ---: | ---: |\n")
	for _, l := range durableLines {
		fmt.Fprintf(&w, "| %s |", l.words)
		for _, v := range durable.Program.Variants {
			if v.Fits != nil && !v.Fits(l.at) {
				w.WriteString(" |")
				continue
			}
			r, ok := runs[0].find(durable.Program.Name, v.Name, l.at, 2)
			if !ok {
				t.Errorf("no row of durable/%s at %v with 2 processors", v.Name, l.at)
			}
			if l.figure == "" {
				fmt.Fprintf(&w, " %s (%s to %s) |", microseconds(r.NsPerOp), microseconds(r.NsMin), microseconds(r.NsMax))
			} else {
				fmt.Fprintf(&w, " %s |", microseconds(firstOf(t, r, l.figure)))
			}
		}
		w.WriteString("\n")
	}
	return w.String() + "\n" + strings.Replace(sources(runs[:1], durable.Program.Name), "Times in ns", "Times in µs on 2 processors", 1)
}

// firstOf returns the first number of a figure of whole numbers.
func firstOf(t *testing.T, r Row, name string) float64 {
	t.Helper()
	i := slices.IndexFunc(r.Figures, func(f programs.Figure) bool { return f.Name == name })
	if i < 0 {
		t.Errorf("the row of %s/%s with 2 processors has no %s", r.Program, r.Variant, name)
		return 0
	}
	switch v := r.Figures[i].Value.(type) {
	case uint64:
		return float64(v)
	case []uint64:
		return float64(v[0])
	default:
		t.Errorf("%s of %s/%s is %v, and must be whole numbers", name, r.Program, r.Variant, v)
		return 0
	}
}

// microseconds writes a time in a table whose unit is the microsecond.
func microseconds(ns float64) string { return nanoseconds(ns / 1000) }
