package main

import (
	"slices"
	"strings"
	"testing"
)

// rivalsAndPlots are the modules that only freerun-bench and its packages may link. They are why
// freerun-bench is a command of its own.
var rivalsAndPlots = []string{
	// the other libraries that freerun is compared with
	"github.com/alitto/pond/v2",
	"github.com/anthdm/hollywood",
	"github.com/asynkron/protoactor-go",
	"github.com/bytedance/gopkg",
	"github.com/panjf2000/ants/v2",
	"github.com/puzpuzpuz/xsync/v4",
	"github.com/sourcegraph/conc",
	"modernc.org/memory",
	// the libraries that draw the report
	"codeberg.org/go-fonts/liberation",
	"codeberg.org/go-latex/latex",
	"codeberg.org/go-pdf/fpdf",
	"git.sr.ht/~sbinet/gg",
	"github.com/ajstarks/svgo",
	"github.com/golang/freetype",
	"golang.org/x/image",
	"gonum.org/v1/plot",
	// the progress bar
	"github.com/schollz/progressbar/v3",
}

// linked returns the modules of all packages that a command links.
func linked(t *testing.T, packages ...string) []string {
	t.Helper()
	list := must(t, ".", "go", append([]string{"list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}"}, packages...)...)
	modules := strings.Fields(list)
	slices.Sort(modules)
	return slices.Compact(modules)
}

// TestNoRivalsNorPlots: the command that users install links none of these modules.
func TestNoRivalsNorPlots(t *testing.T) {
	modules := linked(t, ".")
	t.Logf("%d modules", len(modules))
	if !slices.Contains(modules, "github.com/spf13/cobra") {
		t.Errorf("the list of modules is incomplete: %v", modules)
	}
	for _, m := range rivalsAndPlots {
		if slices.Contains(modules, m) {
			t.Errorf("freerun links %s", m)
		}
	}
}

// TestNoRivalsNorPlotsControl: the packages of the module bench link each of these modules, so none
// is misspelt or out of date.
func TestNoRivalsNorPlotsControl(t *testing.T) {
	modules := linked(t, "github.com/freerun-go/freerun/bench/...")
	for _, m := range rivalsAndPlots {
		if !slices.Contains(modules, m) {
			t.Errorf("nothing links %s: take it from the list", m)
		}
	}
}
