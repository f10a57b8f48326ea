// Command compare says which programs the working tree has made slower or faster than a commit.
//
//	go run ./bench/internal/compare -base COMMIT [-run REGEXP] [-pairs N] [-processors 1,2]
//	go run ./bench/internal/compare -cooperate [-run REGEXP] [-pairs N] [-processors 1,2]
//
// It builds the command freerun-bench twice: of the base, in a temporary worktree of git, and of
// the working tree as it is, with or without changes. Then the two binaries measure the same
// programs at the same sizes. They alternate, base and new, then new and base, because machines
// drift: by 30% within minutes where others share the processors. Two neighbouring runs share the
// machine's mood, so their ratio tells of the binaries. Each measurement has a process of its own,
// which warms up first and checks its result.
//
// The pairs of all programs are interleaved: the first pair of each program, then the second of
// each, and so on. So a bad minute costs each program a few pairs, and no program all of its pairs.
//
// # What the table says
//
// The ratio of a pair is new/base in time per operation. The table has the median of the ratios and
// its 95% confidence interval, from the order statistics of the ratios: no assumption about their
// distribution is made. The verdict is "slower" if the interval lies wholly above 1.02, "faster" if
// it lies wholly below 0.98, and "same" otherwise. "same" also covers what so few pairs cannot
// tell: look at the width of the interval, and raise -pairs. Beside it stands the ratio of the
// minima, least of new / least of base: the runs that were disturbed least.
//
// If the base is the commit of a clean working tree, two equal binaries are compared, which shows
// how large the machine's noise is.
//
// With -cooperate both binaries are of the working tree. The base is compiled by go build, and the
// new one by freerun build, with checks and preemption; the programs are those written with
// activities.
//
// The binary of a base is kept in .bench/compare, under the hash of the commit and the version of
// Go. An interrupt ends the measuring; the table then has the pairs until then.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"github.com/freerun-go/freerun/bench"
	"github.com/freerun-go/freerun/bench/catalogue"
)

func main() {
	ctx, restore := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, restore) // so that the next signal ends the process
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// order holds the command line.
type order struct {
	root       string // the root of the repository
	base       string // the commit, as the user names it
	cooperate  bool   // the working tree by go build is compared with that by freerun build
	pairs      int    // of each program and number of processors
	processors []int
	subjects   []subject
}

// run carries out one command line and returns the exit status. It is 0 when a table was written,
// whatever the verdicts are.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	o, err := parse(args, errs)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		fmt.Fprintln(errs, "compare:", err)
		return 2
	}
	if err := o.carryOut(ctx, out, errs); err != nil {
		fmt.Fprintln(errs, "compare:", err)
		return 1
	}
	return 0
}

// parse reads the command line and checks all that can be checked without building.
func parse(args []string, errs io.Writer) (*order, error) {
	var o order
	var filter, processors string
	flags := flag.NewFlagSet("compare", flag.ContinueOnError)
	flags.SetOutput(errs)
	flags.StringVar(&o.root, "root", ".", "the root of the repository")
	flags.StringVar(&o.base, "base", "", "the commit that the working tree is compared with")
	flags.BoolVar(&o.cooperate, "cooperate", false, "compare the working tree, compiled by go build, with that compiled by freerun build")
	flags.IntVar(&o.pairs, "pairs", 20, "how many pairs of runs of each program and number of processors")
	flags.StringVar(&filter, "run", ".", "which programs, a regular expression for their names")
	flags.StringVar(&processors, "processors", "1,2", "the numbers of processors")
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("%q is left over; everything is set by flags", flags.Args())
	}
	switch {
	case o.cooperate && o.base != "":
		return nil, errors.New("-cooperate compares the working tree with itself: leave -base out")
	case !o.cooperate && o.base == "":
		return nil, errors.New("there is no base: name a commit, as in make compare BASE=HEAD~3")
	}
	if o.pairs < minPairs || o.pairs > maxPairs {
		return nil, fmt.Errorf("%d pairs are asked for; a 95%% interval takes at least %d, and at most %d are sensible", o.pairs, minPairs, maxPairs)
	}
	for word := range strings.SplitSeq(processors, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%q is no number of processors", word)
		}
		o.processors = append(o.processors, n)
	}
	wanted, err := regexp.Compile(filter)
	if err != nil {
		return nil, fmt.Errorf("-run: %w", err)
	}
	find := subjects
	if o.cooperate {
		find = cooperating
	}
	all, err := find(catalogue.WithRivals())
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if wanted.MatchString(s.program.Name) {
			o.subjects = append(o.subjects, s)
		}
	}
	if len(o.subjects) == 0 {
		return nil, fmt.Errorf("no program matches %q; there are %s", filter, names(all))
	}
	return &o, nil
}

// carryOut builds, measures and writes the table.
func (o *order) carryOut(ctx context.Context, out, errs io.Writer) error {
	old, current, names, err := o.build(ctx, builder{root: o.root, log: errs})
	if err != nil {
		return err
	}
	m := measuring{
		base:   bench.Isolated(old, measureCommand),
		new:    bench.Isolated(current, measureCommand),
		errs:   errs,
		trials: trials(o.subjects, o.processors),
	}
	if err := m.tryOut(ctx, o.pairs); err != nil {
		return err
	}
	stopped := m.measure(ctx, o.pairs)
	fmt.Fprintf(out, "%s; 95%% intervals of the median ratio new/base\n\n", names)
	return errors.Join(writeTable(out, m.trials), stopped)
}

// build returns the two binaries, and what they are.
func (o *order) build(ctx context.Context, b builder) (old, current, names string, err error) {
	const takes = "which takes a few minutes the first time"
	if o.cooperate {
		fmt.Fprintf(b.log, "compare: building the working tree twice, %s\n", takes)
		if old, err = b.workingTree(ctx); err != nil {
			return "", "", "", err
		}
		current, err = b.cooperating(ctx)
		return old, current, "new: the working tree by freerun build; base: by go build", err
	}
	base, err := resolve(ctx, o.root, o.base)
	if err != nil {
		return "", "", "", err
	}
	fmt.Fprintf(b.log, "compare: building %.12s and the working tree, %s\n", base, takes)
	if old, err = b.base(ctx, base); err != nil {
		return "", "", "", err
	}
	current, err = b.workingTree(ctx)
	return old, current, fmt.Sprintf("new: the working tree; base: %.12s", base), err
}
