package bench

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/bench/catalogue"
	"github.com/freerun-go/freerun/bench/durable"
	"github.com/freerun-go/freerun/programs"
)

// The tables of docs/benchmarks.md and three figures of README.md are drawn from the rows of one
// run: docs/report/rows.jsonl, which `make report` measures. docs/report/earlier.jsonl has the last
// run on a machine of another make. Times are those of the first file; a ratio has the range over
// both.

const (
	benchmarksPage = "../docs/benchmarks.md"
	readme         = "../README.md"
	drawPages      = "go test ./bench -run 'TestPageHasThe(Benchmarks|Figures)' -update"
)

// pageLine is a line of a table: a program's variants at one point, with 1 and with 2 processors.
type pageLine struct {
	words     string // what the program is called; {name} stands for the value of a parameter
	operation string // what is counted
	program   string
	at        map[string]int // the point; nil if the program has one only
	own       string         // freerun's variant
	others    []string       // the ratio is to the first one
}

func queuesAt(producers, consumers, payload int) map[string]int {
	return map[string]int{"producers": producers, "consumers": consumers, "payload": payload}
}

// blocksAt is a point of alloc at which all bytes of the blocks are used.
func blocksAt(size, tasks int) map[string]int {
	return map[string]int{"size": size, "tasks": tasks, "foreign": 0, "touch": 1}
}

var pageTables = []struct {
	mark  string
	lines []pageLine
}{
	{"messages", []pageLine{
		{"fib({size})", "a call: a message, a future, a sum of two futures", "fib", map[string]int{"work": 0}, "futures", []string{"goroutines"}},
		{"", "the same, declared small", "fib", map[string]int{"work": 0}, "lazy", []string{"goroutines"}},
		{"", "the same, fork and join with closures", "fib", map[string]int{"work": 0}, "join-closures", []string{"goroutines"}},
		{"", "the same, fork and join of a `ForkFunc`", "fib", map[string]int{"work": 0}, "join", []string{"goroutines", "serial"}},
		{"skynet", "a task of a tree of {size}", "skynet", nil, "futures", []string{"goroutines"}},
		{"", "the same, declared small", "skynet", nil, "lazy", []string{"goroutines"}},
		{"submit", "an empty task from an ordinary goroutine", "submit", nil, "tell", []string{"pond", "ants", "goroutines"}},
		{"pingpong", "a message between two units", "pingpong", nil, "units", []string{"channels"}},
		{"fanin", "a message from one of 4 goroutines to one unit", "fanin", nil, "units", []string{"channels"}},
		{"ddb", "a request of a client to a database of {servers} units", "ddb", nil, "units", []string{"channels"}},
	}},
	{"losses", []pageLine{
		{"fanin", "an addition, by one of 4 goroutines", "fanin", nil, "units", []string{"mutex"}},
		{"ddb", "a map access", "ddb", nil, "units", []string{"mutex"}},
		{"bank, 1000 accounts", "a transfer between two", "bank", map[string]int{"accounts": 1000, "work": 0}, "units", []string{"mutex"}},
		{"bank, 8 accounts", "the same", "bank", map[string]int{"accounts": 8, "work": 0}, "units", []string{"mutex"}},
		{"bank, 1000 accounts", "the same, with a microsecond of work", "bank", map[string]int{"accounts": 1000, "work": 1000}, "units", []string{"mutex"}},
	}},
	{"tasks", []pageLine{
		{"create, 1,000,000 at a time", "an empty task created, run and ended", "create", map[string]int{"batch": 1_000_000}, "activities", []string{"goroutines"}},
		{"create, 1000 at a time", "", "create", map[string]int{"batch": 1000}, "activities", []string{"goroutines"}},
		{"create, one at a time", "the same, and waited for", "create", map[string]int{"batch": 1}, "activities", []string{"goroutines"}},
		{"switch, one task", "a task lets others run, of which there are none", "switch", map[string]int{"tasks": 1}, "activities", []string{"goroutines"}},
		{"switch, 10 tasks", "a task lets others run", "switch", map[string]int{"tasks": 10}, "activities", []string{"goroutines"}},
		{"switch, 1000 tasks", "", "switch", map[string]int{"tasks": 1000}, "activities", []string{"goroutines"}},
		{"switch, 10,000 tasks", "", "switch", map[string]int{"tasks": 10_000}, "activities", []string{"goroutines"}},
		{"lock, 1000 tasks, one each", "lock and unlock", "lock", map[string]int{"tasks": 1000, "local": 1}, "activities", []string{"goroutines"}},
		{"lock, 1000 tasks, one for all", "the same", "lock", map[string]int{"tasks": 1000, "local": 0}, "activities", []string{"goroutines"}},
		{"the same, fair", "handed over in the order of asking", "lock", map[string]int{"tasks": 1000, "local": 0}, "activities-fair", []string{"goroutines"}},
		{"matrix, 64 tasks with a quantum", "a multiplication and an addition", "matrix", map[string]int{"tasks": 64}, "activities", []string{"goroutines"}},
		{"the same, a quantum that never ends", "", "matrix", map[string]int{"tasks": 64}, "activities-unbroken", []string{"goroutines"}},
		{"matrix, 64 tasks, tile by tile", "the same", "matrix", map[string]int{"tasks": 64}, "activities-tiled", []string{"goroutines-tiled"}},
		{"mandelbrot", "a point", "mandelbrot", nil, "activities", []string{"goroutines"}},
		{"city, activities", "a unit consumed", "city", nil, "activities", []string{"goroutines"}},
		{"city, units", "", "city", nil, "units", []string{"goroutines"}},
		{"eratosthenes, activities", "a number given to a sieve", "eratosthenes", nil, "activities", []string{"goroutines"}},
		{"eratosthenes, units", "", "eratosthenes", nil, "units", []string{"goroutines"}},
		{"news, activities", "a message read by a customer", "news", nil, "activities", []string{"goroutines"}},
		{"news, units", "", "news", nil, "units", []string{"goroutines"}},
		{"producer, 1 pair", "a message through one buffer of {buffer}", "producer", map[string]int{"pairs": 1}, "activities", []string{"goroutines"}},
		{"producer, 64 pairs", "", "producer", map[string]int{"pairs": 64}, "activities", []string{"goroutines"}},
		{"tokenring, activities", "the token passed to the next player", "tokenring", nil, "activities", []string{"goroutines"}},
		{"tokenring, units", "", "tokenring", nil, "units", []string{"goroutines"}},
	}},
	{"memory", []pageLine{
		{"alloc, 1000 bytes, 1 task", "a block allocated, zeroed, used and freed", "alloc", blocksAt(1000, 1), "offheap-zero", []string{"make", "modernc-zero"}},
		{"alloc, 1000 bytes, 2 tasks", "", "alloc", blocksAt(1000, 2), "offheap-zero", []string{"make", "modernc-zero"}},
		{"alloc, 10,000 bytes, 2 tasks", "", "alloc", blocksAt(10_000, 2), "offheap-zero", []string{"make", "modernc-zero"}},
		{"alloc, 1000 bytes, 2 tasks", "the same, not zeroed", "alloc", blocksAt(1000, 2), "offheap", []string{"pool", "modernc"}},
		{"alloc, 10,000 bytes, 2 tasks", "", "alloc", blocksAt(10_000, 2), "offheap", []string{"pool", "modernc"}},
		{"trees, depth {size}", "a node created, visited, and collected", "trees", nil, "offheap", []string{"make"}},
		{"records, {size}", "an insertion, look-up or deletion", "records", nil, "offheap", []string{"make"}},
	}},
	{"locks", []pageLine{
		{"1 goroutine, MCS", "a lock taken and given back", "locks", map[string]int{"goroutines": 1}, "mcs", []string{"mutex"}},
		{"CLH", "", "locks", map[string]int{"goroutines": 1}, "clh", []string{"mutex"}},
		{"64 goroutines, MCS", "", "locks", map[string]int{"goroutines": 64}, "mcs", []string{"mutex"}},
		{"CLH", "", "locks", map[string]int{"goroutines": 64}, "clh", []string{"mutex"}},
	}},
	{"idling", []pageLine{
		{"hot, 1000 messages", "a call to a unit while two others are flooded", "hot", map[string]int{"depth": 1000}, "units", []string{"channels"}},
		{"hot, 100,000 messages", "", "hot", map[string]int{"depth": 100_000}, "units", []string{"channels"}},
		{"tick", "a task a millisecond: its CPU time", "tick", nil, "units", []string{"goroutines", "channels"}},
	}},
}

// queueVariants are the lines of the table of queues, and queuePoints its columns.
var (
	queueVariants = [][2]string{
		{"SPSC", "spsc"},
		{"MPMC", "mpmc"},
		{"StrictMPMC", "strict"},
		{"SegmentedMPMC, without bound", "segmented"},
		{"UnboundedMPMC", "unbounded"},
		{"FanIn", "fan-in"},
		{"Blocking, around MPMC", "waiting"},
		{"xsync SPSCQueue", "xsync-spsc"},
		{"xsync MPMCQueue", "xsync-mpmc"},
		{"lscq, without bound", "lscq"},
		{"a buffered channel", "channel"},
		{"a slice and a mutex", "mutex"},
	}
	queuePoints = []map[string]int{
		queuesAt(1, 1, 8), queuesAt(1, 1, 64), queuesAt(4, 1, 8), queuesAt(4, 1, 64), queuesAt(1, 4, 8), queuesAt(1, 4, 64), queuesAt(4, 4, 8), queuesAt(4, 4, 64),
	}
)

// runRows are the rows of one run.
type runRows []Row

// savedRuns returns the run that the pages are drawn from, and that of another make if there is
// one.
func savedRuns(t *testing.T) []runRows {
	t.Helper()
	var runs []runRows
	for _, name := range []string{"../docs/report/rows.jsonl", "../docs/report/earlier.jsonl"} {
		file, err := os.Open(name)
		if os.IsNotExist(err) && len(runs) > 0 {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		rows, err := ReadRows(file, append(catalogue.WithRivals(), durable.Program))
		file.Close()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		runs = append(runs, rows)
	}
	return runs
}

// find returns the row of a variant at a point, with that many processors.
func (all runRows) find(program, variant string, at map[string]int, processors int) (Row, bool) {
	i := slices.IndexFunc(all, func(r Row) bool {
		if r.Program != program || r.Variant != variant || r.Processors != processors || r.Simulated {
			return false
		}
		for name, value := range at {
			if name == programs.Size && r.Size == value || slices.Contains(r.Params, Setting{name, value}) {
				continue
			}
			return false
		}
		return true
	})
	if i < 0 {
		return Row{}, false
	}
	return all[i], true
}

// ratio returns how many times the other variant's time freerun's is, in each run that has both:
// one number, or the least and the greatest. A run of an earlier form of the program, with other
// parameters, does not count.
func ratio(t *testing.T, runs []runRows, l pageLine, processors int) string {
	t.Helper()
	var words []string
	var now Row
	for i, run := range runs {
		own, ok := run.find(l.program, l.own, l.at, processors)
		other, also := run.find(l.program, l.others[0], l.at, processors)
		if i == 0 {
			now = own
		}
		if ok && also && own.Size == now.Size && slices.Equal(own.Params, now.Params) {
			words = append(words, share(own.NsPerOp/other.NsPerOp))
		}
	}
	if len(words) == 0 {
		t.Errorf("no run has %s/%s and %s at %v with %d processors", l.program, l.own, l.others[0], l.at, processors)
		return ""
	}
	slices.SortFunc(words, func(a, b string) int {
		x, _ := strconv.ParseFloat(a, 64)
		y, _ := strconv.ParseFloat(b, 64)
		return int(1000 * (x - y))
	})
	return strings.Join(slices.Compact(words), " to ")
}

// nanoseconds writes a time in a table whose unit is the nanosecond.
func nanoseconds(ns float64) string {
	if ns < 9.95 {
		return strconv.FormatFloat(ns, 'f', 1, 64)
	}
	if ns < 10_000 {
		return strconv.FormatFloat(ns, 'f', 0, 64)
	}
	return thousands(int(ns+500) / 1000 * 1000)
}

// sources says where the times are from, and where the other ends of the ratios are from.
func sources(runs []runRows, tables ...string) string {
	var lines, seen []string
	for i, run := range runs {
		of := slices.DeleteFunc(run.origins(tables), func(o string) bool { return slices.Contains(seen, o) })
		if len(of) == 0 {
			continue
		}
		seen = append(seen, of...)
		what := "Times in ns: "
		if i > 0 {
			what = "The other end of ratios: "
		}
		lines = append(lines, what+strings.Join(of, "; and ")+".")
	}
	return strings.Join(lines, "\n") + "\n"
}

// origins returns where the real rows of some programs are from, each machine and commit once.
func (all runRows) origins(names []string) []string {
	var texts []string
	for _, r := range all {
		o := r.Origin
		text := fmt.Sprintf("%s, %s, %s, commit %s, medians of %d", o.Machine, o.Go, o.Date, o.Commit, r.Runs)
		if !r.Simulated && slices.Contains(names, r.Program) && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts
}

// drawTable draws a table and where its figures are from.
func drawTable(t *testing.T, runs []runRows, lines []pageLine) string {
	t.Helper()
	var w strings.Builder
	w.WriteString("| program | one operation is | freerun, on 1 | and 2 processors | beside | ratio on 1 | on 2 |\n| --- | --- | ---: | ---: | --- | ---: | ---: |\n")
	used := make(map[string]bool)
	for _, l := range lines {
		used[l.program] = true
		var own, ratios []string
		var words string
		for _, n := range []int{1, 2} {
			r, ok := runs[0].find(l.program, l.own, l.at, n)
			if !ok {
				t.Errorf("no row of %s/%s at %v with %d processors", l.program, l.own, l.at, n)
			}
			own = append(own, nanoseconds(r.NsPerOp))
			ratios = append(ratios, ratio(t, runs, l, n))
			words = question{asks: "| " + l.words + " | " + l.operation + " |"}.words(r)
		}
		var beside []string
		for _, other := range l.others {
			one, ok := runs[0].find(l.program, other, l.at, 1)
			two, also := runs[0].find(l.program, other, l.at, 2)
			if !ok || !also {
				t.Errorf("no row of %s/%s at %v", l.program, other, l.at)
			}
			beside = append(beside, fmt.Sprintf("%s %s, %s", other, nanoseconds(one.NsPerOp), nanoseconds(two.NsPerOp)))
		}
		fmt.Fprintf(&w, "%s %s | %s | %s | %s |\n", words, strings.Join(own, " | "), strings.Join(beside, "; "), ratios[0], ratios[1])
	}
	return w.String() + "\n" + sources(runs, slices.Sorted(maps.Keys(used))...)
}

// queueTable draws the table of queues, with 2 processors: the least time, and the median.
func queueTable(t *testing.T, runs []runRows) string {
	t.Helper()
	var w strings.Builder
	w.WriteString("| | 1P1C 8 B | 64 B | 4P1C 8 B | 64 B | 1P4C 8 B | 64 B | 4P4C 8 B | 64 B |\n|" + strings.Repeat(" --- |", 9) + "\n")
	for _, v := range queueVariants {
		fmt.Fprintf(&w, "| %s |", v[0])
		drawn := 0
		for _, at := range queuePoints {
			if r, ok := runs[0].find("queues", v[1], at, 2); ok {
				drawn++
				fmt.Fprintf(&w, " %s, %s |", nanoseconds(r.NsMin), nanoseconds(r.NsPerOp))
			} else {
				w.WriteString(" |")
			}
		}
		if drawn == 0 {
			t.Errorf("no row of queues/%s with 2 processors", v[1])
		}
		w.WriteString("\n")
	}
	return w.String() + "\n" + sources(runs[:1], "queues")
}

// TestPageHasTheBenchmarks: the tables of docs/benchmarks.md are those of the saved rows; -update
// draws them.
func TestPageHasTheBenchmarks(t *testing.T) {
	runs := savedRuns(t)
	for _, of := range pageTables {
		holdPart(t, benchmarksPage, of.mark, drawTable(t, runs, of.lines), drawPages)
	}
	holdPart(t, benchmarksPage, "queues", queueTable(t, runs), drawPages)
	holdPart(t, benchmarksPage, "durable", durableTable(t, runs), drawPages)
}

// TestPageHasTheFigures: README.md quotes three figures of the saved rows; -update draws them.
func TestPageHasTheFigures(t *testing.T) {
	runs := savedRuns(t)
	var w strings.Builder
	var names, machines []string
	for _, of := range []struct {
		says string
		line pageLine
	}{
		{"A tree of {size} tasks takes %s of the time that it takes with goroutines and channels.", pageLine{program: "skynet", own: "futures", others: []string{"goroutines"}}},
		{"A message between two units takes %s of the time of one over an unbuffered channel.", pageLine{program: "pingpong", own: "units", others: []string{"channels"}}},
		{"A transfer between two accounts takes %s times as long as under two locks.", pageLine{program: "bank", at: map[string]int{"accounts": 1000, "work": 0}, own: "units", others: []string{"mutex"}}},
	} {
		r, ok := runs[0].find(of.line.program, of.line.own, of.line.at, 2)
		if !ok {
			t.Fatalf("no row of %s/%s", of.line.program, of.line.own)
		}
		fmt.Fprintf(&w, "- %s\n", fmt.Sprintf(question{asks: of.says}.words(r), ratio(t, runs, of.line, 2)))
		names = append(names, of.line.program)
	}
	for _, run := range runs {
		for _, r := range run {
			if text := fmt.Sprintf("%s (commit %s)", r.Origin.Machine, r.Origin.Commit); !r.Simulated && slices.Contains(names, r.Program) && !slices.Contains(machines, text) {
				machines = append(machines, text)
			}
		}
	}
	holdPart(t, readme, "figures", "On two processors, "+strings.Join(machines, "; ")+":\n"+w.String(), drawPages)
}

// TestSavedRunsAreRuns: the real rows of each file are of one machine, one version of Go and one
// commit without changes, though they may have been measured in pieces; they are of as many runs,
// and none is there twice.
func TestSavedRunsAreRuns(t *testing.T) {
	for i, run := range savedRuns(t) {
		from, seen := "", make(map[string]bool)
		for _, r := range run {
			if r.Simulated {
				continue
			}
			o := r.Origin
			text := fmt.Sprintf("%s, %s, commit %s, %d runs", o.Machine, o.Go, o.Commit, r.Runs)
			if from == "" {
				from = text
			}
			if text != from || o.Commit == "" || o.Machine == "" || strings.Contains(o.Commit, "modified") {
				t.Errorf("file %d: %s/%s is of %s, beside rows of %s", i, r.Program, r.Variant, text, from)
			}
			name := fmt.Sprint(r.Program, r.Variant, r.Processors, r.Size, r.Params)
			if seen[name] {
				t.Errorf("file %d has %s twice", i, name)
			}
			seen[name] = true
		}
		if from == "" {
			t.Errorf("file %d has no rows", i)
		}
	}
}
