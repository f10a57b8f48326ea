package main

import (
	"fmt"
	"strings"
)

// describe returns the mutation in three lines, the first with file and line.
func (t *task) describe() string {
	_, rest, _ := strings.Cut(t.Head(), " ")
	return fmt.Sprintf("%s:%d: %s\n    - %s\n    + %s", t.File, t.Line, rest, t.Before, t.After)
}

// outcome says in a line what became of a mutation.
func (t *task) outcome(reasons Reasons) string {
	v := t.verdict
	switch {
	case v.Killed:
		return fmt.Sprintf("killed after %.1f s by %s, which %s", v.Seconds, v.By, v.Outcome)
	case reasons[t.Key()] != "":
		return fmt.Sprintf("SURVIVED %d tests in %.1f s: %s", v.Tests, v.Seconds, reasons[t.Key()])
	case v.Tests == 0:
		return "SURVIVED: no test reaches it"
	}
	return fmt.Sprintf("SURVIVED %d tests in %.1f s, without a reason", v.Tests, v.Seconds)
}

// tally counts mutations.
type tally struct {
	done, killed, reasoned, open int
	seconds                      float64
}

func (t *tally) add(o tally) {
	t.done += o.done
	t.killed += o.killed
	t.reasoned += o.reasoned
	t.open += o.open
	t.seconds += o.seconds
}

func (t tally) line(name string) string {
	share := 0.0
	if t.done > 0 {
		share = 100 * float64(t.reasoned+t.open) / float64(t.done)
	}
	return fmt.Sprintf("%-10s %5d %7d %9d %14d %8.1f%% %8.0f", name, t.done, t.killed, t.reasoned+t.open, t.open, share, t.seconds)
}

// report prints the survivors and the table of the rooms. The error says what a reason is missing
// for.
func report(tasks []*task, reasons Reasons, stale []string, say func(string, ...any)) error {
	byRoom := map[string]*tally{}
	var names []string
	left := 0
	say("")
	for _, t := range tasks {
		if byRoom[t.Room] == nil {
			byRoom[t.Room] = &tally{}
			names = append(names, t.Room)
		}
		if !t.done {
			left++
			continue
		}
		one := tally{done: 1, seconds: t.verdict.Seconds}
		switch {
		case t.verdict.Killed:
			one.killed = 1
			if reasons[t.Key()] != "" {
				say("killed, so its reason can go: %s", t.Head())
			}
		case reasons[t.Key()] != "":
			one.reasoned = 1
		default:
			one.open = 1
			say("%s\n    %s", t.describe(), t.outcome(reasons))
		}
		byRoom[t.Room].add(one)
	}
	say("%-10s %5s %7s %9s %14s %9s %8s", "room", "made", "killed", "survived", "without reason", "survived", "seconds")
	var sum tally
	for _, name := range names {
		say("%s", byRoom[name].line(name))
		sum.add(*byRoom[name])
	}
	say("%s", sum.line("all"))
	if left > 0 {
		say("%d of the choice were not made; the same command goes on with them", left)
	}
	for _, key := range stale {
		say("a reason whose mutation is gone:\n%s", key)
	}
	if sum.open > 0 || len(stale) > 0 {
		return fmt.Errorf("%w: %d; reasons whose mutation is gone: %d", errSurvivors, sum.open, len(stale))
	}
	return nil
}
