package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/freerun-go/freerun/bench/cooperation/internal/gocmd"
)

// measuring is a run of this command.
type measuring struct {
	rounds  int
	time    time.Duration
	freerun string
	dir     string // of the binaries
}

// builds are the two binaries of a package, by go and by freerun.
type builds struct {
	binaries [2]string
	from     string // the package's folder, where its benchmarks find their files
}

// least has the least time of each benchmark, in nanoseconds.
type least map[string]float64

// all measures the packages that match, and writes the table.
func (m *measuring) all(matches *regexp.Regexp) (err error) {
	if m.dir, err = os.MkdirTemp("", "cooperation-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(m.dir)) }()
	if m.freerun == "" {
		if m.freerun, err = gocmd.BuildFreerun("../..", m.dir); err != nil {
			return err
		}
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "package\tbenchmarks\tmean\tworst\tof\tsize")
	var means []float64
	for _, s := range subjects {
		if !matches.MatchString(s.path()) {
			continue
		}
		fmt.Fprintln(os.Stderr, "cooperation:", s.path())
		mean, err := m.one(s, w)
		if err != nil {
			return fmt.Errorf("%s: %w", s.path(), err)
		}
		means = append(means, mean)
	}
	if len(means) == 0 {
		return fmt.Errorf("no package matches %v", matches)
	}
	fmt.Fprintf(w, "all\t\t%.3f\n", geometricMean(means))
	return w.Flush()
}

// one measures a package, writes its line and returns the mean of its costs.
func (m *measuring) one(s subject, w *tabwriter.Writer) (float64, error) {
	b, err := m.build(s)
	if err != nil {
		return 0, err
	}
	times := [2]least{{}, {}}
	for round := range 2 * m.rounds {
		which := (round + round/2) % 2 // 0 1, 1 0, …
		if err := m.bench(s, b, which, times[which]); err != nil {
			return 0, err
		}
	}
	var costs []float64
	worst, of := 0.0, ""
	for _, name := range slices.Sorted(maps.Keys(times[0])) {
		with, found := times[1][name]
		if !found {
			return 0, fmt.Errorf("by freerun there is no %s", name)
		}
		cost := with / times[0][name]
		if costs = append(costs, cost); cost > worst {
			worst, of = cost, name
		}
	}
	if len(costs) == 0 {
		return 0, fmt.Errorf("no benchmark matches %q", s.benchmarks)
	}
	size, err := b.grown()
	if err != nil {
		return 0, err
	}
	mean := geometricMean(costs)
	_, err = fmt.Fprintf(w, "%s\t%d\t%.3f\t%.3f\t%s\t%.3f\n", s.path(), len(costs), mean, worst, of, size)
	return mean, errors.Join(err, w.Flush())
}

// build compiles the benchmarks of a package by go and by freerun.
func (m *measuring) build(s subject) (b builds, err error) {
	from, by, err := m.folders(s)
	if err != nil {
		return b, err
	}
	b.from = filepath.Join(from, s.folder)
	for i, command := range []string{"go", m.freerun} {
		b.binaries[i] = filepath.Join(m.dir, fmt.Sprint(strings.ReplaceAll(s.path(), "/", "-"), i))
		if _, err := gocmd.Output(by, gocmd.Settings, command, "test", "-vet=off", "-c", "-o", b.binaries[i], s.path()); err != nil {
			return b, err
		}
	}
	return b, nil
}

// folders returns the folder of a module, and that of the module that builds its tests. A module of
// other people is copied, so that its tests can import package activity: a program without
// activities is compiled as ever.
func (m *measuring) folders(s subject) (from, by string, err error) {
	here, err := filepath.Abs(".")
	if err != nil || s.module == "" {
		return here, here, err
	}
	name := strings.ReplaceAll(s.module, "/", "-")
	from, by = filepath.Join(m.dir, name), filepath.Join(m.dir, name+"-tests")
	if _, err := os.Stat(by); err != nil {
		found, err := gocmd.Output(here, []string{"GOWORK=off"}, "go", "list", "-m", "-f", "{{.Dir}}", s.module)
		if err != nil {
			return "", "", err
		}
		if err := os.CopyFS(from, os.DirFS(strings.TrimSpace(string(found)))); err != nil {
			return "", "", err
		}
		if err := os.Mkdir(by, 0o755); err != nil {
			return "", "", err
		}
		text := fmt.Sprintf("module example.org/tests\n\ngo 1.26\n\nrequire (\n%[1]s v0.1.0\n%[2]s v1.0.0\n)\n\nreplace (\n%[1]s => %[3]s\n%[2]s => %[4]s\n)\n",
			gocmd.Freerun, s.module, filepath.Dir(filepath.Dir(here)), from)
		if err := os.WriteFile(filepath.Join(by, "go.mod"), []byte(text), 0o644); err != nil {
			return "", "", err
		}
	}
	of, err := gocmd.Output(by, gocmd.Settings, "go", "list", "-f", "{{.Name}}", s.path())
	if err != nil {
		return "", "", err
	}
	text := fmt.Sprintf("package %s\n\nimport _ %q\n", bytes.TrimSpace(of), gocmd.Freerun+"/activity")
	return from, by, os.WriteFile(filepath.Join(from, s.folder, "has_activities_test.go"), []byte(text), 0o644)
}

// grown returns the size of the binary by freerun, relative to that of the other one.
func (b *builds) grown() (float64, error) {
	var sizes [2]float64
	for i, name := range b.binaries {
		info, err := os.Stat(name)
		if err != nil {
			return 0, err
		}
		sizes[i] = float64(info.Size())
	}
	return sizes[1] / sizes[0], nil
}

// line is what a benchmark says: its name, how often it ran, and its time.
var line = regexp.MustCompile(`^(Benchmark\S+)\s+\d+\s+([0-9.]+) ns/op`)

// bench runs the benchmarks once, in one of the builds, on one processor.
func (m *measuring) bench(s subject, b builds, which int, times least) error {
	text, err := gocmd.Output(b.from, []string{"GOMAXPROCS=1"}, b.binaries[which],
		"-test.run", "^$", "-test.bench", s.benchmarks, "-test.benchtime", m.time.String())
	if err != nil {
		return err
	}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		found := line.FindStringSubmatch(lines.Text())
		if found == nil {
			continue
		}
		took, err := strconv.ParseFloat(found[2], 64)
		if err != nil {
			return err
		}
		if before, again := times[found[1]]; took > 0 && (!again || took < before) {
			times[found[1]] = took
		}
	}
	return nil
}

func geometricMean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}
