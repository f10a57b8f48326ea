package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A Verdict is the fate of a mutation: killed, and by which test, or alive.
type Verdict struct {
	Killed  bool
	By      string  // the test that killed it, with its build and its folder
	Outcome Outcome // of that test
	Seconds float64 // from the first build on
	Tests   int     // that ran
	Said    string  // the beginning of the killing test's output
}

// A stage is a group of tests that run one after the other.
type stage struct {
	folder      string
	build       Build
	survey      Build // whose survey says which tests reach a mutation
	least, less time.Duration
}

const (
	short = 3 * time.Second
	ever  = time.Duration(math.MaxInt64)
)

// stages returns the stages of a room: explored programs find a lost order for certain, and a
// deadlock at once, so the short ones come first.
func (r Room) stages() []stage {
	s := []stage{
		{r.Folder, explored, explored, 0, short},
		{r.Folder, unit, unit, 0, ever},
		{r.Folder, explored, explored, short, ever},
		{r.Folder, race, unit, 0, ever},
	}
	for _, far := range r.Far {
		s = append(s, stage{far, explored, explored, 0, ever}, stage{far, unit, unit, 0, ever})
	}
	return s
}

// allowed returns how long a test may take until it counts as hung.
func (s stage) allowed(t Test) time.Duration {
	if s.build.Name == race.Name {
		return time.Minute + 30*t.Took
	}
	return 5*time.Second + 10*t.Took
}

// judge runs the tests that reach a mutation until one kills it.
func (w *workshop) judge(r Room, m Mutation) (Verdict, error) {
	begin := time.Now()
	temporary, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return Verdict{}, err
	}
	defer os.RemoveAll(temporary)
	over, err := overlay(w.root, temporary, m)
	if err != nil {
		return Verdict{}, err
	}
	var v Verdict
	built := map[string]bool{}
	for _, s := range r.stages() {
		if w.quick && (s.build.Name == race.Name || s.folder != r.Folder) {
			continue
		}
		survey, err := w.surveyed(s.folder, s.survey)
		if err != nil {
			return v, err
		}
		tests := survey.reaching(m, s.least, s.less)
		if len(tests) == 0 {
			continue
		}
		name := strings.ReplaceAll(s.folder, "/", "_") + "." + s.build.Name
		binary := filepath.Join(temporary, name)
		if !built[name] {
			if err := compile(w.root, s.folder, s.build, binary, "-overlay", over); err != nil {
				return v, err
			}
			built[name] = true
		}
		for _, t := range tests {
			args := append([]string{"-test.run=^" + t.Name + "$", "-test.failfast"}, s.build.Run...)
			outcome, _, out := run(filepath.Join(w.root, filepath.FromSlash(s.folder)), binary, s.allowed(t), w.megabytes, args...)
			v.Tests++
			if outcome != passed {
				if len(out) > 2000 {
					out = out[:2000]
				}
				v.Killed, v.By, v.Outcome, v.Said = true, s.build.Name+" "+s.folder+" "+t.Name, outcome, out
				v.Seconds = time.Since(begin).Seconds()
				return v, nil
			}
		}
	}
	v.Seconds = time.Since(begin).Seconds()
	return v, nil
}
