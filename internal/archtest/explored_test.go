package archtest_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestExploredIsWhole: make explore runs the explorations of each package that has some.
func TestExploredIsWhole(t *testing.T) {
	root := filepath.Join("..", "..")
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(makefile), "\nEXPLORED := ")
	if !found {
		t.Fatal("Makefile has no EXPLORED")
	}
	line, _, _ := strings.Cut(rest, "\n")
	folders := house(t).Explorations()
	if len(folders) < 15 {
		t.Fatalf("only the folders %q have explorations", folders)
	}
	for _, folder := range folders {
		if !explored(strings.Fields(line), folder) {
			t.Errorf("EXPLORED in Makefile leaves out ./%s, which has explorations", folder)
		}
	}
}

// explored reports whether one of the go command's patterns matches a folder.
func explored(patterns []string, folder string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		p = strings.TrimPrefix(p, "./")
		below, tree := strings.CutSuffix(p, "/...")
		return p == folder || tree && (below == folder || strings.HasPrefix(folder, below+"/"))
	})
}

// TestExplorationsPlanted plants explorations, and patterns that leave some out.
func TestExplorationsPlanted(t *testing.T) {
	const head = "//go:build explore\n\npackage x\n\n"
	tree := planted(t, map[string]string{
		"go.work":               "go 1.26\n",
		"go.mod":                "module example.org/house\n",
		"root_test.go":          head + "func TestExploreRoot() {}\n",
		"left/a_test.go":        head + "func TestExploreA() {}\n",
		"left/b_test.go":        head + "func TestExploreB() {}\n",
		"left/inner/c_test.go":  head + "func TestExploreC() {}\n",
		"right/d_test.go":       head + "func TestOther() {}\n",
		"right/e_test.go":       "package x\n\nfunc TestExploreInName() {}\n",
		"right/model/limits.go": head + "func TestExploreNoTest() {}\n",
	})
	want := []string{".", "left", "left/inner"}
	if got := tree.Explorations(); !slices.Equal(got, want) {
		t.Errorf("explorations in %q, want %q", got, want)
	}
	for pattern, of := range map[string][]string{"./left": {"left"}, "./left/...": {"left", "left/inner"}, ".": {"."}, "./lef": nil} {
		var got []string
		for _, folder := range want {
			if explored([]string{pattern}, folder) {
				got = append(got, folder)
			}
		}
		if !slices.Equal(got, of) {
			t.Errorf("%s matches %q, want %q", pattern, got, of)
		}
	}
}
