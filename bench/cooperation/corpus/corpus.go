package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/freerun-go/freerun/bench/cooperation/internal/gocmd"
)

// corpus is a run of this command.
type corpus struct {
	race    bool
	timeout time.Duration
	dir     string // of copies, binaries and what they print
	freerun string
	root    string // of freerun
	own     bool   // whether dir is made for the run
	wrong   []string
}

// all runs the packages that match, and writes the table.
func (c *corpus) all(matches *regexp.Regexp) (err error) {
	if err := c.prepare(); err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "package\ttests\tof them skipped\tknown\tat once\twrong\tgo, s\tfreerun, s\t")
	ran := 0
	for _, s := range subjects {
		for _, folder := range s.folders {
			if !matches.MatchString(s.path(folder)) {
				continue
			}
			ran++
			if err := c.one(s, folder, w); err != nil {
				fmt.Fprintln(os.Stderr, "corpus:", err)
				c.wrong = append(c.wrong, fmt.Sprintf("%s: %v", s.path(folder), err))
			}
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if ran == 0 {
		return fmt.Errorf("no package matches %v", matches)
	}
	if len(c.wrong) > 0 {
		return fmt.Errorf("of what is right under go test is wrong, see %s:\n%s", c.dir, strings.Join(c.wrong, "\n"))
	}
	if c.own {
		return os.RemoveAll(c.dir)
	}
	return nil
}

// prepare makes the folder of the run and builds freerun.
func (c *corpus) prepare() (err error) {
	here, err := filepath.Abs(".")
	if err != nil {
		return err
	}
	c.root = filepath.Dir(filepath.Dir(here))
	if c.dir == "" {
		c.own = true
		c.dir, err = os.MkdirTemp("", "corpus-")
	} else {
		c.dir, err = filepath.Abs(c.dir)
	}
	if err = errors.Join(err, os.MkdirAll(c.dir, 0o755)); err != nil {
		return err
	}
	if c.freerun == "" {
		c.freerun, err = gocmd.BuildFreerun(c.root, c.dir)
		return err
	}
	c.freerun, err = filepath.Abs(c.freerun)
	return err
}

// one runs the tests of a package both ways, and writes its line.
func (c *corpus) one(s subject, folder string, w *tabwriter.Writer) error {
	fmt.Fprintln(os.Stderr, "corpus:", s.path(folder))
	p, err := c.build(s, folder)
	if err != nil {
		return err
	}
	plain, err := c.run(p, 0, p.only, "")
	if err != nil {
		return err
	}
	inside, err := c.run(p, 1, p.only, "")
	if err != nil {
		return err
	}
	known, once, skipped := 0, 0, 0
	again := map[string]*results{}
	var wrong []string
	listed := "" // a test, before its subtests
	for _, test := range slices.Sorted(maps.Keys(plain.ended)) {
		want, got := plain.ended[test], inside.ended[test]
		switch {
		case want == "skip":
			skipped++
		case want != "pass":
			fmt.Fprintf(os.Stderr, "corpus: under go test, %s ends with %s\n", test, want)
			continue
		}
		if got == want {
			continue
		}
		if reason := s.reason(test); reason != "" {
			known++
			continue
		}
		top, _, _ := strings.Cut(test, "/")
		if again[top] == nil {
			if again[top], err = c.run(p, 1, "^"+top+"$", "-"+top); err != nil {
				return err
			}
		}
		if second := again[top].ended[test]; second == want && !(got == "" && inside.hung) {
			once++
			fmt.Fprintf(os.Stderr, "corpus: %s ended with %q in place of %s, and not when it was alone\n", test, got, want)
			continue
		} else if second == "" {
			got = "hangs, or the program ends"
		}
		if listed == "" || !strings.HasPrefix(test, listed+"/") {
			listed = test
			wrong = append(wrong, fmt.Sprintf("%s: %s: %s in place of %s", s.path(folder), test, got, want))
		}
	}
	for _, line := range wrong {
		fmt.Fprintln(os.Stderr, "corpus:", line)
	}
	c.wrong = append(c.wrong, wrong...)
	_, err = fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%.1f\t%.1f\t\n", s.path(folder), len(plain.ended), skipped, known, once,
		len(wrong), plain.took.Seconds(), inside.took.Seconds())
	return err
}
