package report

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/bench/catalogue"
	"github.com/freerun-go/freerun/programs"
)

// parse writes the page of a run and returns its tree.
func parse(t *testing.T, run Run) *html.Node {
	t.Helper()
	var out strings.Builder
	if err := Write(&out, run); err != nil {
		t.Fatal(err)
	}
	tree, err := html.Parse(strings.NewReader(out.String()))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// find returns the elements with that name below a node, and with that class unless it is "".
func find(n *html.Node, name, class string) []*html.Node {
	var all []*html.Node
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.Data == name && (class == "" || slices.Contains(strings.Fields(attribute(d, "class")), class)) {
			all = append(all, d)
		}
	}
	return all
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// words returns all text below a node.
func words(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data + " ")
		}
	}
	return b.String()
}

// TestEveryFigureIsDrawn: a run of everything lacks no figure. The test checks all parts of the
// page.
func TestEveryFigureIsDrawn(t *testing.T) {
	run := Run{Rows: everything(t)}
	tree := parse(t, run)
	var want, got []string
	for _, s := range sections() {
		for _, f := range s.figures {
			want = append(want, f.id)
		}
	}
	ids := make(map[string]bool)
	for d := range tree.Descendants() {
		if id := attribute(d, "id"); id != "" {
			if ids[id] {
				t.Errorf("two elements have the id %s", id)
			}
			ids[id] = true
		}
	}
	for _, f := range find(tree, "article", "figure") {
		id := attribute(f, "id")
		got = append(got, id)
		charts := find(f, "svg", "")
		if len(charts) == 0 {
			t.Errorf("%s has no chart", id)
		}
		for _, c := range charts {
			if attribute(c, "aria-label") == "" || len(find(c, "path", "")) == 0 || len(find(c, "title", "")) == 0 {
				t.Errorf("a chart of %s has no name, nothing drawn or no values to point at", id)
			}
		}
		if lines := find(f, "tr", ""); len(lines) < 2 {
			t.Errorf("%s has no table of its numbers", id)
		}
		if !strings.Contains(words(f), "freerun bench ") {
			t.Errorf("%s does not say what measures it", id)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("figures %q, want %q", got, want)
	}
	if ids["missing"] {
		t.Error("the page says that something is missing")
	}
	for _, a := range find(tree, "a", "") {
		if to := attribute(a, "href"); !strings.HasPrefix(to, "#") || !ids[to[1:]] {
			t.Errorf("the link %q leads nowhere", to)
		}
	}
	needsNothing(t, tree)
	holdSVGs(t, run)
}

// needsNothing checks that the page loads nothing.
func needsNothing(t *testing.T, tree *html.Node) {
	t.Helper()
	for d := range tree.Descendants() {
		for _, a := range d.Attr {
			if (a.Key == "src" || a.Key == "href") && !strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, "data:") {
				t.Errorf("<%s %s=%q> needs something outside the page", d.Data, a.Key, a.Val)
			}
		}
		if d.Type == html.TextNode && (strings.Contains(d.Data, "url(") || strings.Contains(d.Data, "@import")) {
			t.Errorf("a style or script needs something outside the page: %.80q", d.Data)
		}
	}
}

// holdSVGs writes the figures as files. Each must be well formed and have finite numbers only.
func holdSVGs(t *testing.T, run Run) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "a", "b")
	names, err := WriteSVGs(dir, run)
	if err != nil {
		t.Fatal(err)
	}
	charts := 0
	for _, s := range sections() {
		made, _ := drawAll(s, run.Rows)
		for _, f := range made {
			charts += len(f.charts)
		}
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != charts {
		t.Errorf("%d files for %d charts: %q", len(names), charts, names)
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for decoder := xml.NewDecoder(strings.NewReader(string(text))); ; {
			_, err := decoder.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		for _, bad := range []string{"NaN", "Inf", "fill:#", "stroke:#000", "prefers-color-scheme:light"} {
			if strings.Contains(strings.SplitAfter(string(text), "</style>")[1], bad) {
				t.Errorf("%s: %q in it", name, bad)
			}
		}
		if !strings.Contains(string(text), "prefers-color-scheme:dark") {
			t.Errorf("%s does not follow the reader's theme", name)
		}
	}
}

// TestKnownRun compares the drawings of a run with the run's known figures.
func TestKnownRun(t *testing.T) {
	tree := parse(t, Run{Rows: known()})
	var figures []string
	for _, f := range find(tree, "article", "figure") {
		figures = append(figures, attribute(f, "id"))
	}
	if want := []string{"fib-speedup", "fib-lost", "fib-waste"}; !slices.Equal(figures, want) {
		t.Fatalf("figures %q, want %q", figures, want)
	}
	text := words(tree)
	for _, say := range []string{
		"work 100, 1: 1 (0.947 to 1.06) times",        // 180 of 190, and of 170
		"work 100, 2: 1.8 (1.5 to 2) times",           // 180 of 100, of 120 and of 90
		"work 100, 2: 90 ns a call",                   // 270 less 180
		"work 100, 2: 1.5 times",                      // 270 of 180
		"90 to 120", "2 × <this>", "c0ffee", "5 runs", // the origin
		"Not in this run", "freerun bench ddb --processors 1,2",
	} {
		if !strings.Contains(text, say) {
			t.Errorf("the page does not say %q", say)
		}
	}
	for _, absent := range []string{"Partial.", "simulated", "NaN"} {
		if strings.Contains(words(find(tree, "main", "")[0]), absent) {
			t.Errorf("the page says %q", absent)
		}
	}
	if missing, sections := len(find(find(tree, "section", "")[1], "li", "")), 23; missing < 10 || missing > sections {
		t.Errorf("%d figures are said to be missing", missing)
	}
}

// TestSimulatedContinues: simulated processors are drawn dashed beside real ones, in all three
// figures of fib.
func TestSimulatedContinues(t *testing.T) {
	tree := parse(t, Run{Rows: append(known(), further()...)})
	text := words(tree)
	for _, say := range []string{"work 100, 2: 1.8 (1.5 to 2) times", "work 100, simulated, 32: 18 times"} {
		if !strings.Contains(text, say) {
			t.Errorf("the page does not say %q", say)
		}
	}
	for _, say := range []string{
		"work 100, simulated, 32: 90 ns a call", // 270 less 180
		"work 100, simulated, 32: 1.5 times",    // 270 of 180
	} {
		if !strings.Contains(text, say) {
			t.Errorf("the page does not say %q", say)
		}
	}
	chart := find(find(tree, "article", "figure")[0], "svg", "")[0]
	dashed := 0
	for _, p := range find(chart, "path", "") {
		if strings.Contains(attribute(p, "style"), "stroke-dasharray:4,2.5") {
			dashed++
		}
	}
	if dashed < 2 {
		t.Errorf("%d dashed lines, want the curve and its key", dashed)
	}
	if alone := find(parse(t, Run{Rows: known()}), "svg", "")[0]; strings.Contains(render(t, alone), "dasharray") {
		t.Error("what was measured is dashed")
	}
}

func render(t *testing.T, n *html.Node) string {
	t.Helper()
	var b strings.Builder
	if err := html.Render(&b, n); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestPartialRun: the page says why rows are missing, whatever characters the reason has.
func TestPartialRun(t *testing.T) {
	tree := parse(t, Run{Rows: known(), Partial: "Interrupted by <b>the user</b>."})
	if notes := find(parse(t, Run{Rows: known(), Note: "Beside <mayhem>."}), "p", "note"); len(notes) != 1 || words(notes[0]) != "Beside <mayhem>. " {
		t.Error("the page does not have the note")
	}
	said := find(tree, "p", "partial")
	if len(find(tree, "p", "note")) > 0 || len(said) != 1 || !strings.Contains(words(said[0]), "Interrupted by <b>the user</b>.") {
		t.Errorf("the page does not say why it is partial")
	}
}

// TestNothingToDraw: no figure is made of these rows.
func TestNothingToDraw(t *testing.T) {
	var out strings.Builder
	for _, run := range []Run{{}, {Rows: known()[1:]}} {
		run.Rows = slices.Clone(run.Rows)
		for i := range run.Rows {
			run.Rows[i].Params[0].Value = 5 // not 0, the work of the tree of tasks
		}
		if err := Write(&out, run); !errors.Is(err, ErrNothing) || out.Len() > 0 {
			t.Errorf("error %v and %d bytes, want ErrNothing and none", err, out.Len())
		}
		if _, err := WriteSVGs(t.TempDir(), run); !errors.Is(err, ErrNothing) {
			t.Errorf("error %v, want ErrNothing", err)
		}
	}
}

// TestFaultsOfFiles: faults of files are reported as the system reports them.
func TestFaultsOfFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := WriteSVGs(file, Run{Rows: known()}); err == nil {
		t.Error("a file serves as a folder")
	}
	full := errors.New("disk full")
	if err := Write(failing{full}, Run{Rows: known()}); !errors.Is(err, full) {
		t.Errorf("error %v, want %v", err, full)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestOddRows: rows of every variant that lack fields, or whose times no clock can have shown, do
// not make the program panic.
func TestOddRows(t *testing.T) {
	var bare, zero rows
	for _, p := range catalogue.WithRivals() {
		for _, v := range p.Variants {
			for _, n := range []int{1, 2, 7} {
				bare = append(bare, bench.Row{Program: p.Name, Variant: v.Name, Kind: v.Kind, Processors: n, NsPerOp: 5, Runs: 1})
				zero = append(zero, bench.Row{Program: p.Name, Variant: v.Name, Kind: v.Kind, Processors: n})
				zero = append(zero, bench.Row{Program: p.Name, Variant: v.Name, Kind: v.Kind, Processors: n, NsPerOp: math.Inf(1)})
			}
		}
	}
	if err := Write(io.Discard, Run{Rows: bare}); err != nil {
		t.Error(err)
	}
	if err := Write(io.Discard, Run{Rows: zero}); !errors.Is(err, ErrNothing) {
		t.Errorf("error %v, want ErrNothing", err)
	}
	for i := range bare {
		bare[i].Simulated = true
	}
	if err := Write(io.Discard, Run{Rows: bare}); err != nil {
		t.Errorf("simulated: %v", err)
	}
	for i := range bare { // the same with parameters and figures that are all equal
		bare[i].Params = []bench.Setting{{Name: "work", Value: 0}, {Name: "tasks", Value: 1}, {Name: "depth", Value: 1}, {Name: "contenders", Value: 0}}
		bare[i].Figures = []programs.Figure{{Name: "p99_percent_of_idle", Value: uint64(0)}, {Name: "steals", Value: []uint64{0, 0}}, {Name: "messages_per_processor", Value: []uint64{}}}
		bare[i].Simulated = i%2 == 0
	}
	if err := Write(io.Discard, Run{Rows: bare}); err != nil {
		t.Error(err)
	}
}

// TestRowsAreNotChanged: the caller's rows stay as they are.
func TestRowsAreNotChanged(t *testing.T) {
	all := append(known(), further()...)
	before := all.table()
	if err := Write(io.Discard, Run{Rows: all}); err != nil {
		t.Fatal(err)
	}
	for i, line := range all.table() {
		if !slices.Equal(line, before[i]) {
			t.Errorf("row %d was %q and is %q", i, before[i], line)
		}
	}
}
