package report

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/bench/catalogue"
	"github.com/freerun-go/freerun/programs"
)

var update = flag.Bool("update", false, "draw the tables of docs/simulation.md and docs/benchmarks.md anew")

// fibRows returns rows of fib with futures: for each amount of work a speed-up, and a CPU time a
// call, for each number of processors. One processor takes 1000 ns.
func fibRows(simulated bool, speedups map[int]map[int]float64, cpu map[int]map[int]float64) rows {
	var all rows
	for work, times := range speedups {
		of := rows{{Processors: 1, NsPerOp: 1000, CPUNsPerOp: 1000}}
		for n, x := range times {
			of = append(of, bench.Row{Processors: n, NsPerOp: 1000 / x, CPUNsPerOp: cpu[work][n]})
		}
		for _, r := range of {
			r.Program, r.Variant, r.Kind, r.Size, r.Simulated = "fib", "futures", programs.Freerun, 25, simulated
			r.Params = []bench.Setting{{Name: "work", Value: work}}
			all = append(all, r)
		}
	}
	return all
}

// ddbRow returns a row of ddb with two servers, the first of which has most to do, and two clients.
func ddbRow(processors, serverSteals, clientSteals []uint64, taken uint64) rows {
	return rows{{
		Program: "ddb", Variant: "units", Processors: len(processors), NsPerOp: 1, Simulated: true,
		Figures: []programs.Figure{
			{Name: "messages_per_server", Value: []uint64{500, 200}},
			{Name: "messages_per_client", Value: []uint64{150, 150}},
			{Name: "steals_per_server", Value: serverSteals},
			{Name: "steals_per_client", Value: clientSteals},
			{Name: "messages_per_processor", Value: processors},
			{Name: "steals", Value: []uint64{taken, taken}},
		},
	}}
}

// TestStatements: each statement is reproduced, partly reproduced and not reproduced by rows of
// which that is known, and is not decided without rows.
func TestStatements(t *testing.T) {
	type table = map[int]map[int]float64
	good := table{0: {8: 7.9, 64: 40}, 1000: {8: 8, 64: 61}}
	flat := table{0: {8: 8, 64: 64}, 1000: {8: 8, 64: 64}}
	fib := func(speedups, cpu table) rows { return fibRows(true, speedups, cpu) }
	grows := table{0: {8: 1010, 64: 1030}, 1000: {8: 1010, 64: 1030}}
	apart := table{0: {8: 1010, 64: 1030}, 1000: {8: 1010, 64: 1090}}
	least, equal := table{0: {8: 990, 64: 1030}, 1000: {8: 990, 64: 1030}}, table{0: {8: 990, 64: 990}, 1000: {8: 990, 64: 990}}
	settled := []uint64{500, 200, 150, 150}
	for _, c := range []struct {
		statement           statement
		whole, some, nought rows
	}{
		{speedupStatements[0], fib(good, grows), fib(table{1000: {2: 1.6, 4: 3.2}}, nil), fib(table{1000: {64: 40}}, nil)},
		{speedupStatements[1], fib(good, grows), fib(table{0: {8: 8, 64: 64}, 1000: {8: 8, 64: 60}}, nil), fib(flat, grows)},
		{speedupStatements[2], fib(good, grows), fib(table{0: {8: 8, 64: 40}, 1000: {8: 7, 64: 60}}, nil), fib(table{0: {8: 8, 64: 60}, 1000: {8: 8, 64: 40}}, nil)},
		{lostStatements[0], fib(good, grows), fib(good, least), fib(good, equal)},
		{lostStatements[1], fib(good, apart), nil, fib(good, grows)},
		{wasteStatements[0], fib(good, apart), nil, fib(good, grows)},
		{messageStatements[0], ddbRow(settled, []uint64{0, 0}, []uint64{1, 1}, 1), ddbRow([]uint64{500, 500, 0, 0}, []uint64{0, 0}, []uint64{1, 1}, 1), ddbRow([]uint64{1000, 0, 0, 0}, []uint64{0, 0}, []uint64{1, 1}, 1)},
		{messageStatements[1], ddbRow(settled, []uint64{0, 0}, []uint64{1, 1}, 1), ddbRow([]uint64{300, 250, 250, 200}, []uint64{0, 0}, []uint64{1, 1}, 1), ddbRow([]uint64{1000, 0, 0, 0}, []uint64{0, 0}, []uint64{1, 1}, 1)},
		{stealStatements[0], ddbRow(settled, []uint64{0, 0}, []uint64{1, 0}, 1), ddbRow(settled, []uint64{0, 0}, []uint64{5, 5}, 10), ddbRow(settled, []uint64{0, 0}, []uint64{5, 6}, 11)},
		{stolenStatements[0], ddbRow(settled, []uint64{1, 2}, []uint64{3, 4}, 10), ddbRow(settled, []uint64{1, 3}, []uint64{3, 4}, 10), ddbRow(settled, []uint64{5, 5}, []uint64{3, 4}, 10)},
		{stolenStatements[1], ddbRow(settled, []uint64{1, 2}, []uint64{3, 4}, 10), ddbRow(settled, []uint64{2, 1}, []uint64{3, 4}, 10), ddbRow(settled, []uint64{5, 1}, []uint64{3, 4}, 10)},
		{stolenStatements[2], ddbRow(settled, []uint64{1, 2}, []uint64{300, 300}, 10), ddbRow(settled, []uint64{100, 100}, []uint64{300, 300}, 10), ddbRow(settled, []uint64{600, 600}, []uint64{3, 3}, 10)},
	} {
		for want, of := range map[outcome]rows{reproduced: c.whole, partly: c.some, notReproduced: c.nought} {
			if of == nil {
				continue
			}
			if v := c.statement.verdict(of); v.Outcome != want || (v.Simulated == "") != (want == undecided) || v.Measured != "" {
				t.Errorf("%q is %v by rows of which it is %v: %+v", c.statement.says, v.Outcome, want, v)
			}
		}
		if v := c.statement.verdict(nil); v.Outcome != undecided || v.Simulated+v.Measured != "" {
			t.Errorf("%q without rows: %+v", c.statement.says, v)
		}
	}
}

// TestRowsThatDisagree: a statement that simulated and measured rows decide differently is partly
// reproduced.
func TestRowsThatDisagree(t *testing.T) {
	simulated := fibRows(true, map[int]map[int]float64{1000: {64: 60}}, nil)
	measured := fibRows(false, map[int]map[int]float64{1000: {2: 1.2}}, nil)
	v := speedupStatements[0].verdict(slices.Concat(simulated, measured))
	if v.Outcome != partly || !strings.Contains(v.Simulated, "60 times on 64 processors, 94% of linear") || !strings.Contains(v.Measured, "1.2 times on 2 processors") {
		t.Errorf("%+v", v)
	}
}

// saved returns the rows of fib and ddb of which docs/report is drawn, or of the programs that are
// named. Others may be of variants that are not in each build.
func saved(t *testing.T, names ...string) rows {
	t.Helper()
	if len(names) == 0 {
		names = []string{"fib", "ddb"}
	}
	var all rows
	for _, name := range []string{"../../docs/report/rows.jsonl", "../../docs/simulation/fib.jsonl", "../../docs/simulation/ddb.jsonl"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for line := range strings.Lines(string(text)) {
			if slices.ContainsFunc(names, func(name string) bool { return strings.Contains(line, fmt.Sprintf(`"program":%q`, name)) }) {
				lines = append(lines, line)
			}
		}
		some, err := bench.ReadRows(strings.NewReader(strings.Join(lines, "")), catalogue.WithRivals())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, some...)
	}
	return all
}

// TestSavedReportIsOfItsRows: the verdicts of docs/report/index.html are those of the rows beside
// it. `make figures` draws it.
func TestSavedReportIsOfItsRows(t *testing.T) {
	file, err := os.Open("../../docs/report/index.html")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	tree, err := html.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	decided := func(page *html.Node) (texts []string) {
		for _, v := range find(page, "div", "verdicts") {
			texts = append(texts, strings.Join(strings.Fields(words(v)), " "))
		}
		return texts
	}
	want := decided(parse(t, Run{Rows: saved(t)}))
	if got := decided(tree); len(want) != 6 || !slices.Equal(got, want) {
		t.Errorf("the saved report says\n%s\nand its rows say\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestPageHasTheVerdicts: docs/simulation.md has the statements with their verdicts; -update draws
// them.
func TestPageHasTheVerdicts(t *testing.T) {
	var w strings.Builder
	fmt.Fprint(&w, "| figure | the paper says | here | simulated | measured |\n| ---: | --- | --- | --- | --- |\n")
	for _, f := range sections()[0].figures {
		for _, v := range f.verdicts(saved(t)) {
			_, number, _ := strings.Cut(f.source, "figure ")
			fmt.Fprintf(&w, "| %s | %s | %s | %s | %s |\n", number, v.Says, v.Outcome, v.Simulated, v.Measured)
		}
	}
	holdTable(t, "../../docs/simulation.md", "verdicts", w.String())
}

// holdTable checks that a page has the table at the mark of that name. With -update it draws the
// table.
func holdTable(t *testing.T, page, mark, want string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), "<!-- "+mark+" -->\n")
	drawn, after, ends := strings.Cut(rest, "<!-- end -->")
	switch {
	case !begins || !ends:
		t.Fatalf("%s has no place for the table: <!-- %s --> … <!-- end -->", page, mark)
	case drawn == want:
	case !*update:
		t.Errorf("the table of %s at %s is not that of the rows: go test ./bench/report -run TestPageHasThe -update draws it", page, mark)
	default:
		if err := os.WriteFile(page, []byte(before+"<!-- "+mark+" -->\n"+want+"<!-- end -->"+after), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
