package archtest

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// A Place is a folder of the layer table. It includes the folders below it.
type Place struct {
	Path    string // slash-separated, relative to the root; "." is the root folder alone
	Layer   int    // the row; a greater number is further down
	Own     bool   // a module of its own, not a part of the root module
	Planned bool   // has no folder yet
}

// A Table is the layer table, places in the order of the document.
type Table []Place

// A Document is the part of ARCHITECTURE.md that can be checked.
type Document struct {
	Table   Table
	Support []string // folders of test support; each includes the folders below it
}

// tableHead is the first line of the table. It names the columns of each row.
const tableHead = "| place | module | purpose |"

// supportHead begins the line that lists test support.
const supportHead = "- Test support: "

var inBackquotes = regexp.MustCompile("`([^`]+)`")

var placeInCell = regexp.MustCompile("`([^`]+)`( \\(planned\\))?")

// Read reads a document in Markdown. The error names the line if there is no table, if a row does
// not have the columns of the table, or if a place occurs twice. A document that does not list test
// support in one line is an error, too.
func Read(document string) (Document, error) {
	text, err := os.ReadFile(document)
	if err != nil {
		return Document{}, err
	}
	lines := strings.Split(string(text), "\n")
	table, err := readTable(document, lines)
	if err != nil {
		return Document{}, err
	}
	support, err := readSupport(document, lines)
	return Document{table, support}, err
}

// readSupport finds the line that lists test support.
func readSupport(document string, lines []string) (support []string, err error) {
	found := false
	for i, line := range lines {
		if !strings.HasPrefix(line, supportHead) {
			continue
		}
		if found {
			return nil, fmt.Errorf("%s:%d: a second list of test support", document, i+1)
		}
		found = true
		for _, name := range inBackquotes.FindAllStringSubmatch(line, -1) {
			support = append(support, name[1])
		}
	}
	if len(support) == 0 {
		return nil, fmt.Errorf("%s has no line that begins with %q and lists folders in backquotes", document, supportHead)
	}
	return support, nil
}

func readTable(document string, lines []string) (Table, error) {
	start := 0
	for start < len(lines) && strings.TrimSpace(lines[start]) != tableHead {
		start++
	}
	if start == len(lines) {
		return nil, fmt.Errorf("%s has no table that begins with %q", document, tableHead)
	}
	var table Table
	known := map[string]bool{}
	// The line below the head separates it from the rows.
	for i := start + 2; i < len(lines) && strings.HasPrefix(lines[i], "|"); i++ {
		places, err := readRow(lines[i], i-start-2)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", document, i+1, err)
		}
		for _, p := range places {
			if known[p.Path] {
				return nil, fmt.Errorf("%s:%d: %s is in the table twice", document, i+1, p.Path)
			}
			known[p.Path] = true
			table = append(table, p)
		}
	}
	if len(table) == 0 {
		return nil, fmt.Errorf("%s:%d: the table has no rows", document, start+1)
	}
	return table, nil
}

// readRow returns the places of one row of the table.
func readRow(line string, layer int) ([]Place, error) {
	cells := strings.Split(line, "|")
	if len(cells) != 5 {
		return nil, fmt.Errorf("a row has 3 cells, this one %d", len(cells)-2)
	}
	module := strings.TrimSpace(cells[2])
	if module != "own" && module != "root" {
		return nil, fmt.Errorf("the module of a place is own or root, not %q", module)
	}
	var places []Place
	for _, found := range placeInCell.FindAllStringSubmatch(cells[1], -1) {
		places = append(places, Place{
			Path:    strings.TrimSuffix(found[1], "/…"),
			Layer:   layer,
			Own:     module == "own",
			Planned: found[2] != "",
		})
	}
	if len(places) == 0 {
		return nil, fmt.Errorf("a row names its places in backquotes: %q", strings.TrimSpace(cells[1]))
	}
	return places, nil
}

// Find returns the place of a folder (slash-separated, relative to the root): the place with the
// longest path that contains the folder.
func (t Table) Find(folder string) (Place, bool) {
	best, found := Place{}, false
	for _, p := range t {
		contains := folder == p.Path || p.Path != "." && strings.HasPrefix(folder, p.Path+"/")
		if contains && (!found || len(p.Path) > len(best.Path)) {
			best, found = p, true
		}
	}
	return best, found
}

// mayImport returns the objection of the table to a package of from that imports a package of to,
// or "" if there is none.
func mayImport(from, to Place) string {
	switch {
	case from.Path == to.Path || to.Layer > from.Layer:
		return ""
	case to.Layer < from.Layer:
		return fmt.Sprintf("points upward: %s is a layer above %s", name(to), name(from))
	default:
		return fmt.Sprintf("points sideways: %s and %s are places of one layer", name(to), name(from))
	}
}

func name(p Place) string {
	if p.Path == "." {
		return "the root folder"
	}
	return p.Path
}
