package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Test is a test of a package, as it was when it ran alone on the tree as it is.
type Test struct {
	Name    string
	Took    time.Duration
	Reached Reached // in the packages that are mutated
}

// A Survey says which lines of a package the tests of a folder reach, in one build, the quickest
// test first.
type Survey struct {
	Tests []Test
	Ill   []string // those that fail without a mutation; they kill nothing
}

// survey runs each test of a folder once alone and returns what it reached of some packages, whose
// import paths are covered, with commas between them. A test that recall knows is not run again;
// keep gets the others.
func (w *workshop) survey(folder string, b Build, covered string, recall func(string) (Test, bool), keep func(Test)) (Survey, error) {
	temporary, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return Survey{}, err
	}
	defer os.RemoveAll(temporary)
	binary := filepath.Join(temporary, "test.bin")
	if err := compile(w.root, folder, b, binary, "-cover", "-covermode=set", "-coverpkg="+covered); err != nil {
		return Survey{}, err
	}
	where := filepath.Join(w.root, filepath.FromSlash(folder))
	var s Survey
	list := exec.Command(binary, "-test.list", b.Test)
	list.Dir = where
	names, err := list.Output()
	if err != nil {
		if _, err := os.Stat(binary); err != nil {
			return s, nil // the package has no tests in this build
		}
		return s, fmt.Errorf("the tests of %s: %w", folder, err)
	}
	for _, name := range strings.Fields(string(names)) {
		if !strings.HasPrefix(name, "Test") && !strings.HasPrefix(name, "Example") && !strings.HasPrefix(name, "Fuzz") {
			continue
		}
		if counting := w.counts[folder]; counting != nil && !counting.MatchString(name) {
			continue
		}
		if t, ok := recall(name); ok {
			if t.Took <= w.slow {
				s.Tests = append(s.Tests, t)
			}
			continue
		}
		profile := filepath.Join(temporary, "profile")
		outcome, took, out := run(where, binary, w.slow, 8<<10, "-test.run=^"+name+"$", "-test.coverprofile="+profile)
		if outcome == hung {
			keep(Test{Name: name, Took: took})
			continue
		}
		if outcome != passed {
			w.say("%s %s: %s %s without a mutation; it does not count\n%s", folder, b.Name, name, outcome, out)
			s.Ill = append(s.Ill, name)
			continue
		}
		reached, err := readProfile(profile)
		if err != nil {
			return s, err
		}
		t := Test{name, took, reached}
		keep(t)
		s.Tests = append(s.Tests, t)
	}
	slices.SortStableFunc(s.Tests, func(a, b Test) int { return cmp.Compare(a.Took, b.Took) })
	return s, nil
}

// reaching returns the tests that reach a mutation and take from at least to less than a time.
func (s Survey) reaching(m Mutation, least, less time.Duration) (tests []Test) {
	for _, t := range s.Tests {
		if least <= t.Took && t.Took < less && t.Reached.touches(m) {
			tests = append(tests, t)
		}
	}
	return tests
}
