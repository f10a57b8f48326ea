package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// plots are the packages that only freerun-draw may link: what they keep from their beginning on
// would be in the heap of every process that measures.
var plots = []string{"gonum.org/v1/plot", "gonum.org/v1/plot/font/liberation", "html/template", "github.com/freerun-go/freerun/bench/report"}

// TestMeasuringLinksNoPlots: the command that measures links none of these packages, and the one
// that draws links each of them, so that none is misspelt or out of date.
func TestMeasuringLinksNoPlots(t *testing.T) {
	linked := func(folder string) []string {
		out, err := exec.Command("go", "list", "-deps", folder).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Fields(string(out))
	}
	measuring, drawing := linked("."), linked("../freerun-draw")
	for _, name := range plots {
		if slices.Contains(measuring, name) || !slices.Contains(drawing, name) {
			t.Errorf("%s: freerun-bench links it: %v, freerun-draw does: %v", name, slices.Contains(measuring, name), slices.Contains(drawing, name))
		}
	}
}
