package report

import (
	"fmt"
	"slices"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/programs"
)

// application is a line of table 1 of the fourth paper.
type application struct {
	name                   string
	program                string
	params                 []bench.Setting // the paper's parameters, including the size
	native, linux, windows int             // ms, as printed
}

// applications is table 1 of the fourth paper.
var applications = []application{
	{"City", "city", []bench.Setting{{Name: "size", Value: 1000}, {Name: "units", Value: 10}, {Name: "store", Value: 100}}, 61, 63, 138},
	{"Eratosthenes", "eratosthenes", []bench.Setting{{Name: "size", Value: 10_000}}, 3629, 4750, 6347},
	{"Mandelbrot", "mandelbrot", []bench.Setting{{Name: "size", Value: 2000}, {Name: "parts", Value: 100}, {Name: "iterations", Value: 5000}}, 4066, 5287, 5040},
	{"News", "news", []bench.Setting{{Name: "size", Value: 1000}, {Name: "reporters", Value: 10}, {Name: "messages", Value: 10}}, 1260, 374, 280},
	{"Producer, N = 1", "producer", []bench.Setting{{Name: "size", Value: 10_000}, {Name: "pairs", Value: 1}, {Name: "buffer", Value: 10}}, 1382, 269, 225},
	{"Producer, N = 64", "producer", []bench.Setting{{Name: "size", Value: 10_000}, {Name: "pairs", Value: 64}, {Name: "buffer", Value: 10}}, 54_495, 105_086, 31_032},
	{"Token Ring", "tokenring", []bench.Setting{{Name: "size", Value: 1000}, {Name: "rounds", Value: 1000}}, 4506, 15_672, 8759},
}

var table1 = figure{
	id: "table1", title: "Seven programs", source: "fourth paper, table 1",
	command: "freerun bench city eratosthenes mandelbrot news producer tokenring --processors 1,2",
	about: "Time with freerun divided by the time with goroutines on the same processors, beside what the paper’s Native takes of the time that Linux takes. Left of the line, the " +
		"lock-free runtime is faster; “smaller” is a smaller size than the paper’s. Times of machines eleven years apart say little; ratios to the scheduler at hand say more. Below the programs are the " +
		"geometric means of their ratios: of activities, of units where a program has them, and of the better of the two in each program.",
	printed: "Milliseconds, on 64 logical processors.",
	table:   printedTable1(),
	draw:    drawTable1,
}

func printedTable1() [][]string {
	table := [][]string{{"ms", "Native", "Linux", "Windows"}}
	for _, a := range applications {
		table = append(table, []string{a.name, precise(float64(a.native)), precise(float64(a.linux)), precise(float64(a.windows))})
	}
	return table
}

// of returns the rows of the application's program: those with the paper's parameters, if there are
// any. It reports whether there are.
func (a application) of(all rows) (rows, bool) {
	some := all.of(a.program).real()
	if pairs := slices.IndexFunc(a.params, func(s bench.Setting) bool { return s.Name == "pairs" }); pairs >= 0 {
		some = some.with("pairs", a.params[pairs].Value) // tells the two lines of Producer apart
	}
	same := some
	for _, p := range a.params {
		same = same.with(p.Name, p.Value)
	}
	if len(same) > 0 {
		return same, true
	}
	return some, false
}

func drawTable1(all rows) (charts []chart, used rows) {
	ratios := &dots{frame: frame{title: "table 1: time as a multiple of the rival’s", x: axis{label: "times goroutines (here), times Linux (paper)", log: true}}, unit: "times", centre: 1}
	var counts []int
	for _, a := range applications {
		of, _ := a.of(all)
		counts = append(counts, distinct(of, processors)...)
	}
	slices.Sort(counts)
	counts = few(slices.Compact(counts))
	var roles cast
	for _, a := range applications {
		of, same := a.of(all)
		line := len(ratios.names)
		found := false
		for _, name := range of.variants() {
			for _, n := range counts {
				r, rival := of.variant(name).on(n), of.variant("goroutines").on(n)
				if len(r) == 0 || len(rival) == 0 || r[0].Kind != programs.Freerun {
					continue
				}
				found = true
				p, base := took(r[0], 0), rival[0].NsPerOp
				ratios.marks = append(ratios.marks, mark{
					line, roles.role(name, r[0].Kind), shapeOf(counts, n),
					fmt.Sprintf("%s, %s, %s", a.name, name, plural(n, "processor")),
					point{p.y / base, 0, p.low / base, p.high / base},
				})
			}
		}
		if !found {
			continue
		}
		paper := float64(a.native) / float64(a.linux)
		ratios.marks = append(ratios.marks, mark{line, printed, 4, a.name + ", printed", point{paper, 0, paper, paper}})
		used = append(used, of...)
		name := a.name
		if !same {
			name += " (smaller)"
		}
		ratios.names = append(ratios.names, name)
	}
	if len(ratios.names) == 0 {
		return nil, nil
	}
	for _, m := range means(all, counts) {
		line := slices.Index(ratios.names, m.of)
		if line < 0 {
			line = len(ratios.names)
			ratios.names = append(ratios.names, m.of)
		}
		role := printed
		if m.variant != "" {
			role = roles.role(m.variant, programs.Freerun)
		}
		ratios.marks = append(ratios.marks, mark{
			line, role, shapeOf(counts, m.processors),
			fmt.Sprintf("%s, %s", m.of, plural(m.processors, "processor")),
			point{m.ratio, 0, m.ratio, m.ratio},
		})
	}
	for _, name := range []string{"activities", "units"} {
		if slices.Contains(roles.names, name) {
			ratios.keys = append(ratios.keys, legendKey{name, roles.role(name, programs.Freerun), 0})
		}
	}
	ratios.keys = append(append(ratios.keys, shapeKeys(counts)...), legendKey{"printed: Native to Linux", printed, 4})
	return []chart{ratios}, used
}
