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
	done, killed, same, lives, open int
	seconds                         float64
}

// limit is the share of the mutations that may survive and change more than time.
const limit = 0.03

func (t *tally) add(o tally) {
	t.done += o.done
	t.killed += o.killed
	t.same += o.same
	t.lives += o.lives
	t.open += o.open
	t.seconds += o.seconds
}

func (t tally) line(name string) string {
	return fmt.Sprintf("%-10s %5d %7d %6d %6d %14d %6.1f%% %8.0f", name, t.done, t.killed, t.same, t.lives, t.open, 100*t.share(), t.seconds)
}

// share returns the share of the mutations that survive and change more than time.
func (t tally) share() float64 { return float64(t.lives+t.open) / float64(max(t.done, 1)) }

// report prints the survivors without a reason and the table of the rooms. The error says how many
// there are.
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
		case reasons.same(t.Key()):
			one.same = 1
		case reasons[t.Key()] != "":
			one.lives = 1
		default:
			one.open = 1
			say("%s\n    %s", t.describe(), t.outcome(reasons))
		}
		byRoom[t.Room].add(one)
	}
	say("Survivors are the same to every caller, or live for a reason, or have none. The share is of the last two.")
	say("%-10s %5s %7s %6s %6s %14s %7s %8s", "room", "made", "killed", "same", "live", "without reason", "share", "seconds")
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
	if left == 0 && sum.share() > limit {
		return fmt.Errorf("%w: too many live, %.1f%%", errSurvivors, 100*sum.share())
	}
	return nil
}
