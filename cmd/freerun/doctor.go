package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/freerun-go/freerun/bench/commandline"
)

// testedGo is the newest minor version of Go 1 that freerun was tested with. Build constraints name
// the one after it (internal/archtest).
const testedGo = 26

func newDoctor() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Tell which ways freerun takes on this machine, why, and what they cost",
		Long: `Some of what makes freerun quick rests on the inside of Go or of the operating system. For each
of these techniques there is another way, which rests on documented behaviour alone. doctor tells
for this build and this machine which way is taken, why, and what one use costs, as measured now
(with the call and the loop around it, some 2 ns).
docs/portability.md says what each technique rests on and what happens without it.

A program of yours takes the same ways if it is built with the same Go and the same tags.`,
		Example: `  freerun doctor
  freerun doctor --json`,
		Args: commandline.NoArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			return doctor(c.Context(), c.OutOrStdout(), asJSON)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object a line")
	return c
}

// finding is doctor's report of one technique.
type finding struct {
	Technique   string  `json:"technique"`
	Way         string  `json:"way"`
	Why         string  `json:"why"`
	Nanoseconds float64 `json:"ns"`
	Each        string  `json:"each"` // the measured operation
}

func doctor(ctx context.Context, out io.Writer, asJSON bool) error {
	info, _ := debug.ReadBuildInfo()
	b := buildOf(info, runtime.Version())
	var findings []finding
	for _, t := range techniques {
		if err := ctx.Err(); err != nil {
			return err
		}
		f := finding{Technique: t.name, Each: t.each}
		f.Way, f.Why = t.way()
		if f.Why == "" {
			f.Why = b.why(t.needs)
		}
		f.Nanoseconds = t.measure()
		findings = append(findings, f)
	}
	if asJSON {
		e := json.NewEncoder(out)
		for _, f := range findings {
			if err := e.Encode(f); err != nil {
				return err
			}
		}
		return nil
	}
	fmt.Fprintf(out, "%s\n%s\n\n", version(info, info != nil), b)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, f := range findings {
		fmt.Fprintf(w, "%s\t%s\t%s %s\n\t  %s\n", f.Technique, f.Way, nanoseconds(f.Nanoseconds), f.Each, f.Why)
	}
	return w.Flush()
}

func nanoseconds(ns float64) string {
	switch {
	case ns >= 1000:
		return fmt.Sprintf("%.1f µs", ns/1000)
	case ns >= 10:
		return fmt.Sprintf("%.0f ns", ns)
	default:
		return fmt.Sprintf("%.1f ns", ns)
	}
}

// compilation holds the facts of the build that decide which way each technique takes.
type compilation struct {
	goVersion, arch, compiler string
	tags                      []string
	race                      bool
}

func buildOf(info *debug.BuildInfo, goVersion string) compilation {
	b := compilation{goVersion: goVersion, arch: runtime.GOARCH, compiler: runtime.Compiler}
	if info == nil {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "-tags":
			b.tags = strings.Split(s.Value, ",")
		case "-race":
			b.race = s.Value == "true"
		}
	}
	return b
}

// String says whether the build is the shipped one.
func (b compilation) String() string {
	if why := b.portable(); why != "" {
		return "This is the portable build: " + why + "."
	}
	if b.race {
		return "This is the shipped build, with the race detector."
	}
	return "This is the shipped build."
}

// portable returns why a build is the portable one, or "" if it is not.
func (b compilation) portable() string {
	switch minor, known := minorOf(b.goVersion); {
	case slices.Contains(b.tags, "freerun_portable"):
		return "it was made with -tags freerun_portable"
	case slices.Contains(b.tags, "go1."+strconv.Itoa(testedGo+1)):
		return fmt.Sprintf("it was made with -tags go1.%d, as if Go were newer than 1.%d, the newest that freerun was tested with", testedGo+1, testedGo)
	case known && minor > testedGo:
		return fmt.Sprintf("Go 1.%d is newer than 1.%d, the newest that freerun was tested with", minor, testedGo)
	}
	return ""
}

// minorOf returns the 26 of go1.26.8, and the 28 of "devel go1.28-abcdef".
func minorOf(goVersion string) (minor int, known bool) {
	_, rest, found := strings.Cut(goVersion, "go1.")
	if !found {
		return 0, false
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(rest)
	}
	minor, err := strconv.Atoi(rest[:end])
	return minor, err == nil
}

// needs are the conditions under which a technique takes the shipped way.
type needs struct {
	assembly bool // the assembly for amd64 or arm64
	noRace   bool // a build without the race detector, which would not see its accesses
}

// why returns why a technique with these needs takes, or does not take, the shipped way.
func (b compilation) why(n needs) string {
	portable := b.portable()
	switch {
	case portable != "":
		return "the portable build: " + portable
	case b.compiler != "gc":
		return "the compiler is " + b.compiler + ", not Go's own"
	case n.assembly && b.arch != "amd64" && b.arch != "arm64":
		return "there is no assembly for " + b.arch
	case n.noRace && b.race:
		return "the race detector does not see the other way"
	}
	return "the shipped way"
}
