package jet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// Commands are named by their sender, their way and their number, which says their unit.

func logged(sender string, n int) string { return fmt.Sprintf("%s-l-%d", sender, n) }
func direct(sender string, n int) string { return fmt.Sprintf("%s-d-%d", sender, n) }

// sends reports whether a logged command sends to another unit.
func sends(n int) bool { return n%5 == 0 }

// How it is certain that a command has its effect, or has had it.
const (
	accepted = "accepted"
	answered = "answered"
)

// told is what the senders were told.
type told struct {
	mu      sync.Mutex
	certain map[string]string // how
	wrong   []string
}

func (o *told) hear(h heard) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if h.Wrong != "" {
		o.wrong = append(o.wrong, h.Wrong)
	}
	if h.Certain != "" {
		if o.certain == nil {
			o.certain = map[string]string{}
		}
		if o.certain[h.Certain] != answered {
			o.certain[h.Certain] = h.How
		}
	}
}

// contents returns what all units have run.
func contents(t testing.TB, log engine.Log) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	for n := range units {
		unit := unitName(n)
		for try := 0; ; try++ {
			done := make(chan error)
			log.Read(partition.Of(unit, parts), []byte(unit), func(value []byte, _ uint64, err error) {
				if err == nil {
					_, all[unit], err = decodeCell(value)
				}
				done <- err
			})
			err := <-done
			if err == nil {
				break
			}
			if try == 100 {
				t.Fatal(err)
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	return all
}

// problems holds what is stored against what the senders were told. pending are commands that have
// had no effect, and may have it yet: who was to run them may have ended.
func (o *told) problems(have map[string][]string) (problems, pending []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	problems = slices.Clone(o.wrong)
	wrong := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	count, place := map[string]int{}, map[string]int{}
	for _, all := range have {
		for i, id := range all {
			count[id]++
			place[id] = i
		}
	}
	for id, how := range o.certain {
		switch {
		case count[id] > 0:
		case how == answered:
			wrong("%s was answered, and has had no effect", id)
		default:
			pending = append(pending, id+" was accepted, and has had no effect")
		}
	}
	for id, n := range count {
		if n > 1 {
			wrong("%s has had its effect %d times", id, n)
		}
		if from, within := strings.CutSuffix(id, "'"); within && count[from] == 0 {
			wrong("%s has come, and what sends it has had no effect", id)
		}
		if way, n := parse(id); way == "l" && sends(n) && count[id+"'"] == 0 {
			pending = append(pending, id+" sends another command, which has not come")
		}
	}
	for unit, all := range have {
		last := map[string]int{} // by sender, or by the sending unit
		for _, id := range all {
			from, within := strings.CutSuffix(id, "'")
			way, n := parse(from)
			if way != "l" {
				continue
			}
			sender, at := strings.SplitN(id, "-", 2)[0], n+1
			if within {
				sender, at = unitName(n), place[from]+1
			}
			if at <= last[sender] {
				wrong("%s came to %s behind a later one of %s", id, unit, sender)
			}
			last[sender] = at
		}
	}
	return problems, pending
}

// parse returns the way and the number of a command; the empty way for one that was sent within.
func parse(id string) (way string, n int) {
	tokens := strings.Split(id, "-")
	n, err := strconv.Atoi(tokens[len(tokens)-1])
	if len(tokens) != 3 || err != nil {
		return "", 0
	}
	return tokens[1], n
}

// check returns what is wrong, once all has had its effect that is to have it, or does not for
// long.
func (o *told) check(t testing.TB, log engine.Log) []string {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; {
		problems, pending := o.problems(contents(t, log))
		if len(pending) == 0 || time.Now().After(end) {
			o.mu.Lock()
			defer o.mu.Unlock()
			t.Logf("%d commands were acknowledged", len(o.certain))
			return append(problems, pending...)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// report fails a test with problems.
func report(t testing.TB, problems []string) {
	t.Helper()
	slices.Sort(problems)
	for _, p := range problems[:min(len(problems), 20)] {
		t.Error(p)
	}
	if len(problems) > 20 {
		t.Errorf("and %d more", len(problems)-20)
	}
}

// TestProblems holds that the check finds what it is to find.
func TestProblems(t *testing.T) {
	a, b := unitName(0), unitName(3)
	first, second := logged("s", 0), logged("s", units) // of one unit; the first one sends
	for want, have := range map[string]map[string][]string{
		"":                           {a: {first, second}, b: {first + "'"}},
		"accepted, and has had no":   {a: {first}, b: {first + "'"}},
		"answered, and has had no":   {a: {second}},
		"has had its effect 2 times": {a: {first, second, direct("s", 0), direct("s", 0)}, b: {first + "'"}},
		"behind a later one":         {a: {second, first}, b: {first + "'"}},
		"what sends it":              {a: {first, second}, b: {first + "'", logged("x", 5) + "'"}},
		"has not come":               {a: {first, second}},
	} {
		o := &told{certain: map[string]string{first: answered, second: accepted}}
		problems, pending := o.problems(have)
		problems = append(problems, pending...)
		if len(problems) > 1 || len(problems) == 0 && want != "" || len(problems) == 1 && (want == "" || !strings.Contains(problems[0], want)) {
			t.Errorf("%v: %q, want %q", have, problems, want)
		}
	}
}
