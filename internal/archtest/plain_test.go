package archtest_test

import (
	"go/build/constraint"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlainBuilds finds files of the root module that are left out under the race detector and
// nowhere else. Such a file accesses shared memory in a way that violates Go's memory model, to
// which the detector objects. It is for the gc compiler, on the machines that it was written for,
// and has no place in a portable build.
func TestPlainBuilds(t *testing.T) {
	const root = "../.."
	files := 0
	err := filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		base := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != root && (strings.HasPrefix(base, ".") || base == "testdata" || isModule(name)):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go"):
			return nil
		}
		folder, err := filepath.Rel(root, filepath.Dir(name))
		if err != nil {
			return err
		}
		if path := filepath.ToSlash(folder); path == "internal/verify/conformance" || path == "offheap" && strings.HasPrefix(base, "mapping_") {
			// The sizes of tests; and memory outside of Go's heap, which the detector does not see.
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			if !constraint.IsGoBuild(line) {
				continue
			}
			files++
			expression, err := constraint.Parse(line)
			if err != nil {
				return err
			}
			for _, wrong := range plainBuilds(expression) {
				t.Errorf("%s: built without the race detector only, and built %s; the constraint is %s", name, wrong, expression)
			}
		}
		return nil
	})
	if err != nil || files == 0 {
		t.Fatalf("%d files with a constraint, %v", files, err)
	}
}

// isModule reports whether a folder has a module of its own.
func isModule(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, "go.mod"))
	return err == nil
}

// plainBuilds returns the builds that wrongly include a file. There are none unless the race
// detector leaves the file out of a usual build.
func plainBuilds(e constraint.Expr) (wrong []string) {
	in := func(tags ...string) bool {
		return e.Eval(func(tag string) bool {
			for _, t := range append(tags, "linux", "unix") {
				if t == tag {
					return true
				}
			}
			// go1.27 is not tested, and builds the portable way.
			return strings.HasPrefix(tag, "go1.") && tag != "go1.27"
		})
	}
	for _, machine := range []string{"amd64", "arm64", "386"} {
		if !in("gc", machine) || in("gc", machine, "race") {
			continue
		}
		if in("gc", machine, "freerun_portable") {
			wrong = append(wrong, "with freerun_portable on "+machine)
		}
		if in(machine) {
			wrong = append(wrong, "by other compilers than gc on "+machine)
		}
	}
	return wrong
}

// TestPlainBuildsFound checks the rule with right and wrong constraints.
func TestPlainBuildsFound(t *testing.T) {
	for line, want := range map[string]int{
		"//go:build !explore": 0,
		"//go:build gc && !race && !freerun_portable && !explore":                       0,
		"//go:build (!gc || !(amd64 || arm64) || race || freerun_portable) && !explore": 0,
		"//go:build gc && (amd64 || arm64) && !race && !freerun_portable && !explore":   0,
		"//go:build (amd64 || arm64) && !race && !explore":                              4,
		"//go:build !race && !freerun_portable":                                         3,
		"//go:build gc && amd64 && !race && !explore":                                   1,
	} {
		e, err := constraint.Parse(line)
		if err != nil {
			t.Fatal(err)
		}
		if wrong := plainBuilds(e); len(wrong) != want {
			t.Errorf("%s: %d builds are wrong, %v; want %d", line, len(wrong), wrong, want)
		}
	}
}
