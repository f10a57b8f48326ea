package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// errSurvivors says that the command found what it looks for.
var errSurvivors = errors.New("survivors without a reason")

func main() {
	if err := command(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// options are the command's flags.
type options struct {
	root, cache, reasons string
	rooms                string
	pattern              string
	count                int
	seed                 uint64
	parallel             int
	stopAfter, slow      time.Duration
	megabytes            int
	list, quick          bool
	verbose              bool
}

func command(args []string, out io.Writer) error {
	var o options
	f := flag.NewFlagSet("mutate", flag.ContinueOnError)
	f.StringVar(&o.root, "root", ".", "the root of the tree")
	f.StringVar(&o.cache, "cache", ".mutate", "the folder of the results, relative to the root")
	f.StringVar(&o.reasons, "reasons", "internal/verify/mutate/testdata/survivors.txt", "the table of reasons, relative to the root")
	f.StringVar(&o.rooms, "rooms", "", "the rooms, with commas between them; none: all")
	f.StringVar(&o.pattern, "run", "", "only mutations whose key matches this regular expression")
	f.IntVar(&o.count, "count", 246, "how many mutations, of all rooms together")
	f.Uint64Var(&o.seed, "seed", 1, "which mutations")
	f.IntVar(&o.parallel, "parallel", 1, "how many at a time; tests that share the processors find less")
	f.DurationVar(&o.stopAfter, "for", 0, "begin no mutation after this time; 0: no limit")
	f.DurationVar(&o.slow, "slow", 20*time.Second, "a test that takes longer unchanged does not count")
	f.IntVar(&o.megabytes, "memory", 3000, "megabytes that a test may use")
	f.BoolVar(&o.list, "list", false, "print the mutations and run nothing")
	f.BoolVar(&o.quick, "quick", false, "only the tests of the package itself, and not with the race detector")
	f.BoolVar(&o.verbose, "v", false, "with what the killing test printed")
	if err := f.Parse(args); err != nil {
		return err
	}
	return mutate(o, rooms, out)
}

// A task is a mutation and what becomes of it.
type task struct {
	Mutation
	room    Room
	verdict Verdict
	done    bool
}

func mutate(o options, rooms []Room, out io.Writer) error {
	root, err := filepath.Abs(o.root)
	if err != nil {
		return err
	}
	var printing sync.Mutex
	say := func(format string, args ...any) {
		printing.Lock()
		defer printing.Unlock()
		fmt.Fprintf(out, format+"\n", args...)
	}
	w := &workshop{
		root: root, megabytes: o.megabytes, slow: o.slow, quick: o.quick, say: say,
		covered: map[string][]string{}, counts: map[string]*regexp.Regexp{}, packages: map[string]*Package{}, surveys: map[string]Survey{}, hashes: map[string]hashes{},
	}
	if o.cache != "" {
		w.cache = filepath.Join(root, o.cache)
	}
	reasons := Reasons{}
	if o.reasons != "" {
		if reasons, err = readReasons(filepath.Join(root, o.reasons)); err != nil {
			return err
		}
	}
	if err := w.cover(rooms); err != nil {
		return err
	}
	if rooms, err = named(rooms, o.rooms); err != nil {
		return err
	}
	tasks, stale, err := w.tasks(o, rooms, reasons)
	if err != nil {
		return err
	}
	if o.list {
		for _, t := range tasks {
			say("%s", t.describe())
		}
		say("%d mutations", len(tasks))
		return nil
	}
	if err := w.work(o, tasks, reasons); err != nil {
		return err
	}
	return report(tasks, reasons, stale, say)
}

// named returns the rooms of some names, with commas between them; all if there is none.
func named(rooms []Room, names string) ([]Room, error) {
	if names == "" {
		return rooms, nil
	}
	var chosen []Room
	for name := range strings.SplitSeq(names, ",") {
		i := slices.IndexFunc(rooms, func(r Room) bool { return r.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("no room has the name %q", name)
		}
		chosen = append(chosen, rooms[i])
	}
	return chosen, nil
}

// tasks returns the mutations of the choice, and the keys of reasons whose mutation is gone.
func (w *workshop) tasks(o options, rooms []Room, reasons Reasons) (tasks []*task, stale []string, err error) {
	var pattern *regexp.Regexp
	if o.pattern != "" {
		if pattern, err = regexp.Compile("(?s)" + o.pattern); err != nil {
			return nil, nil, err
		}
	}
	all := make([][]Mutation, len(rooms))
	have := make([]int, len(rooms))
	for i, r := range rooms {
		p, err := w.load(r)
		if err != nil {
			return nil, nil, err
		}
		all[i] = p.mutations(r)
		keys := map[string]bool{}
		for _, m := range all[i] {
			keys[m.Key()] = true
			if pattern == nil || pattern.MatchString(m.Key()) {
				have[i]++
			}
		}
		for key := range reasons {
			file, _, _ := strings.Cut(key, " ")
			if filepath.ToSlash(filepath.Dir(file)) == r.Folder && r.has(filepath.Base(file)) && !keys[key] {
				stale = append(stale, key)
			}
		}
	}
	slices.Sort(stale)
	if len(rooms) > 1 { // one room by itself is asked for in full
		for i, r := range rooms {
			if r.Most > 0 {
				have[i] = min(have[i], r.Most)
			}
		}
	}
	for i, n := range share(o.count, have) {
		p, err := w.load(rooms[i])
		if err != nil {
			return nil, nil, err
		}
		for _, m := range choose(all[i], n, o.seed, pattern, p.compiles) {
			tasks = append(tasks, &task{Mutation: m, room: rooms[i]})
		}
	}
	return tasks, stale, nil
}

// work judges the mutations, some at a time.
func (w *workshop) work(o options, tasks []*task, reasons Reasons) error {
	begin := time.Now()
	var wait sync.WaitGroup
	var mutex sync.Mutex
	var first error
	next := 0
	take := func() *task {
		mutex.Lock()
		defer mutex.Unlock()
		if next == len(tasks) || first != nil || o.stopAfter > 0 && time.Since(begin) > o.stopAfter {
			return nil
		}
		next++
		return tasks[next-1]
	}
	for range max(o.parallel, 1) {
		wait.Go(func() {
			for t := take(); t != nil; t = take() {
				v, known, err := w.judged(t.room, t.Mutation, reasons.same(t.Key()))
				if err != nil {
					mutex.Lock()
					first = errors.Join(first, fmt.Errorf("%s: %w", t.describe(), err))
					mutex.Unlock()
					return
				}
				t.verdict, t.done = v, true
				w.tell(o, t, reasons, known)
			}
		})
	}
	wait.Wait()
	return first
}

func (w *workshop) tell(o options, t *task, reasons Reasons, known bool) {
	text := t.describe() + "\n    " + t.outcome(reasons)
	if known {
		text += " (known)"
	}
	if o.verbose && t.verdict.Said != "" {
		text += "\n    | " + strings.ReplaceAll(strings.TrimSpace(t.verdict.Said), "\n", "\n    | ")
	}
	w.say("%s", text)
}
