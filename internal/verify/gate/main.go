// Command gate writes the results of exploring as a table into a page, between two marks. The first
// argument is the file that FREERUN_GATE named while the tests ran, the second is the page.
//
//	go run ./internal/verify/gate .gate/explored.jsonl docs/algorithms/README.md
package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/freerun-go/freerun/internal/verify/explore"
)

const (
	begin = "<!-- written by make explore: begin -->\n"
	end   = "<!-- written by make explore: end -->\n"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: gate RESULTS PAGE")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "gate:", err)
		os.Exit(1)
	}
}

func run(results, page string) error {
	f, err := os.Open(results)
	if err != nil {
		return err
	}
	defer f.Close()
	records, err := read(f)
	if err != nil {
		return fmt.Errorf("%s: %w", results, err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	written, err := replace(string(text), table(records))
	if err != nil {
		return fmt.Errorf("%s: %w", page, err)
	}
	return os.WriteFile(page, []byte(written), 0o644)
}

// read decodes one record from each line.
func read(r io.Reader) ([]explore.Record, error) {
	var records []explore.Record
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		var one explore.Record
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		records = append(records, one)
	}
	if len(records) == 0 && lines.Err() == nil {
		return nil, errors.New("no results: the tests did not explore anything")
	}
	return records, lines.Err()
}

// replace puts the table between the marks of the page.
func replace(page, table string) (string, error) {
	before, rest, found := strings.Cut(page, begin)
	_, after, found2 := strings.Cut(rest, end)
	if !found || !found2 {
		return "", fmt.Errorf("the marks are missing: %s…\n%s", begin, end)
	}
	return before + begin + table + end + after, nil
}

// table formats the results: a line for each test and way, and then a line for each control.
func table(records []explore.Record) string {
	slices.SortStableFunc(records, func(a, b explore.Record) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Test, b.Test), cmp.Compare(a.Way, b.Way))
	})
	var b strings.Builder
	executions, explored := 0, 0
	b.WriteString("\n| package | test | way | programs | executions | extent |\n| --- | --- | --- | ---: | ---: | --- |\n")
	for _, g := range groups(records) {
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %d | %s |\n", g.pkg, g.test, g.way, g.programs, g.executions, strings.Join(g.extents, "; "))
		executions += g.executions
		explored += g.programs
	}
	fmt.Fprintf(&b, "\n%d programs in %d executions, none of them wrong. The controls, seeded bugs that must be found:\n", explored, executions)
	b.WriteString("\n| package | control | after executions | found |\n| --- | --- | ---: | --- |\n")
	for _, r := range records {
		if r.Way == "control" {
			found, _, _ := strings.Cut(r.Extent, ", at ")
			fmt.Fprintf(&b, "| %s | %s | %d | %s |\n", r.Package, strings.TrimPrefix(r.Test, prefix), r.Executions, strings.ReplaceAll(found, "|", "\\|"))
		}
	}
	b.WriteString("\n")
	return b.String()
}

// group sums up what one test explored in one way.
type group struct {
	pkg, test, way       string
	programs, executions int
	extents              []string // each once
}

// groups sums up the sorted records, leaving out the controls.
func groups(records []explore.Record) (all []group) {
	at := map[[3]string]int{}
	for _, r := range records {
		if r.Way == "control" {
			continue
		}
		test, _, _ := strings.Cut(strings.TrimPrefix(r.Test, prefix), "/")
		key := [3]string{r.Package, test, r.Way}
		i, known := at[key]
		if !known {
			i = len(all)
			at[key] = i
			all = append(all, group{pkg: r.Package, test: test, way: r.Way})
		}
		g := &all[i]
		g.programs++
		g.executions += r.Executions
		if r.Way == "exhaustive" && !slices.Contains(g.extents, r.Extent) {
			g.extents = append(g.extents, r.Extent)
		}
	}
	for i := range all {
		slices.Sort(all[i].extents)
	}
	return all
}

// prefix begins the names of all exploration tests.
const prefix = "TestExplore"
