package jet

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// Commands are named by their sender, their way and their number, which says their unit.

func logged(sender string, n int) string  { return fmt.Sprintf("%s-l-%d", sender, n) }
func direct(sender string, n int) string  { return fmt.Sprintf("%s-d-%d", sender, n) }
func carried(sender string, n int) string { return fmt.Sprintf("%s-v-%d", sender, n) }

// tells reports whether a logged command tells another unit, asks whether it asks one, and isOnBoth
// whether it is on two.
func tells(n int) bool    { return n%5 == 0 && !isOnBoth(n) }
func asks(n int) bool     { return n%7 == 0 && !isOnBoth(n) }
func isOnBoth(n int) bool { return n%6 == 3 }

// otherOf returns the second unit of a command on two: one with the tag of the first.
func otherOf(n int) int {
	if n = n % units; n+tags < units {
		return n + tags
	}
	return n % tags
}

// told is what the senders were told.
type told struct {
	mu      sync.Mutex
	certain map[string]bool
	not     map[string]bool
	unknown int
	wrong   []string
}

func (o *told) hear(h heard) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if h.Wrong != "" {
		o.wrong = append(o.wrong, h.Wrong)
	}
	if o.certain == nil {
		o.certain, o.not = map[string]bool{}, map[string]bool{}
	}
	if h.Certain != "" {
		o.certain[h.Certain] = true
	}
	if h.Not != "" {
		o.not[h.Not] = true
	}
	if h.Unknown != "" {
		o.unknown++
	}
}

// contents returns what all units have run.
func contents(t testing.TB, log engine.Log) map[string][]string {
	t.Helper()
	all, err := readAll(log)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// readAll is contents for a store that may be gone.
func readAll(log engine.Log) (all map[string][]string, err error) {
	all = map[string][]string{}
	for n := range units {
		unit := unitName(n)
		for try := 0; ; try++ {
			done := make(chan error)
			log.Read(partOf(unit), []byte(layout.Records("ledger")+unit), func(value []byte, _ uint64, err error) {
				if err == nil {
					all[unit], err = namesIn(value)
				}
				done <- err
			})
			err := <-done
			if err == nil {
				break
			}
			if try == 100 {
				return nil, err
			}
			time.Sleep(100 * time.Millisecond)
		}
	}
	return all, nil
}

// namesIn returns what a unit has run, from its record; nil is that of one that was sent nothing.
func namesIn(value []byte) ([]string, error) {
	if value == nil {
		return nil, nil
	}
	_, rest, err := partition.DecodeRecord(value)
	if err == nil {
		_, rest, err = layout.CutWake(rest)
	}
	if err != nil || len(rest) == 0 {
		return nil, err
	}
	r, err := layout.DecodeRecord(rest)
	if err != nil {
		return nil, err
	}
	_, encoded, err := layout.CutVersion(r.State)
	if err != nil {
		return nil, err
	}
	var l ledger
	err = json.Unmarshal(encoded[1:], &l)
	return l.Have, err
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
	for id := range o.certain {
		if count[id] == 0 {
			wrong("%s was answered, and has had no effect", id)
		}
	}
	for id, n := range count {
		if n > 1 {
			wrong("%s has had its effect %d times", id, n)
		}
		if o.not[id] {
			wrong("%s was to have no effect, as its outcome says, and has one", id)
		}
		from, mark := cutMark(id)
		if mark != "" && count[from] == 0 {
			wrong("%s has come, and what sends it has had no effect", id)
		}
		way, at := parse(id)
		for mark, is := range map[string]func(n int) bool{toldMark: tells, askedMark: asks, heardMark: asks, otherMark: isOnBoth} {
			if way == "l" && is(at) && count[id+mark] == 0 {
				pending = append(pending, id+" has not come to "+mark)
			}
		}
	}
	for unit, all := range have {
		last := map[string]int{} // by sender, or by the sending unit
		for _, id := range all {
			from, mark := cutMark(id)
			way, n := parse(from)
			sender, at := strings.SplitN(id, "-", 2)[0], n+1
			switch {
			case way != "l" || mark == heardMark:
				continue
			case mark == toldMark || mark == askedMark:
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

// cutMark returns a name, and the mark behind it; empty for none.
func cutMark(id string) (name, mark string) {
	n := len(strings.TrimRight(id, toldMark+askedMark+heardMark+otherMark))
	return id[:n], id[n:]
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
			ways := map[string]int{}
			for id := range o.certain {
				way, _ := parse(id)
				ways[way]++
			}
			t.Logf("these were acknowledged: %d logged, %d direct, %d carried; of %d logged ones that is not known", ways["l"], ways["d"], ways["v"], o.unknown)
			if ways["v"] == 0 {
				problems = append(problems, "no carried command was acknowledged")
			}
			if o.unknown > len(o.certain)/10 {
				problems = append(problems, fmt.Sprintf("%d commands had no outcome in time", o.unknown))
			}
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
	a, b := unitName(5), unitName(8)
	first, second := logged("s", 5), logged("s", units+5) // of one unit; the first one tells
	if !tells(5) || asks(5) || tells(units+5) || asks(units+5) || isOnBoth(units+5) {
		t.Fatal("other commands")
	}
	pair := logged("s", 3) // on two units
	for want, have := range map[string]map[string][]string{
		"":                           {a: {first, second}, b: {first + "'"}},
		"answered, and has had no":   {a: {first}, b: {first + "'"}},
		"has had its effect 2 times": {a: {first, second, direct("s", 0), direct("s", 0)}, b: {first + "'"}},
		"behind a later one":         {a: {second, first}, b: {first + "'"}},
		"what sends it":              {a: {first, second}, b: {first + "'", logged("x", 10) + "'"}},
		"has not come to '":          {a: {first, second}},
		"has not come to +":          {a: {first, second}, b: {first + "'"}, unitName(3): {pair}},
		"was to have no effect":      {a: {first, second, direct("s", 1)}, b: {first + "'"}},
	} {
		o := &told{certain: map[string]bool{first: true, second: true}, not: map[string]bool{direct("s", 1): true}}
		problems, pending := o.problems(have)
		problems = append(problems, pending...)
		if len(problems) > 1 || len(problems) == 0 && want != "" || len(problems) == 1 && (want == "" || !strings.Contains(problems[0], want)) {
			t.Errorf("%v: %q, want %q", have, problems, want)
		}
	}
}
