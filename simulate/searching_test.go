package simulate_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/simulate"
)

// The costs of a look at the others, in TestSearchingAtHalfLoad and TestLoneTasksSpread.
const (
	lookCost  = 80 * time.Nanosecond
	probeCost = 60 * time.Nanosecond
)

// TestSearchingAtHalfLoad holds contract 9 where half of the processors have work all the time: as
// many chains of tasks as half the processors, each task of which sends the next one in its middle.
// The costs name no operation: pieces with no cost of their own take the mean of all pieces.
func TestSearchingAtHalfLoad(t *testing.T) {
	const links = 200
	for _, k := range []struct {
		processors int
		task, most time.Duration // most is 1.1 times what one searcher at a time takes
		wakes      uint64        // at most, of 1000 tasks
	}{
		{8, time.Microsecond, 208 * time.Microsecond, 60},
		{32, time.Microsecond, 222 * time.Microsecond, 60},
		{128, time.Microsecond, 251 * time.Microsecond, 60},
		{32, 20 * time.Microsecond, 3014 * time.Microsecond, 400},
		{32, 200 * time.Microsecond, 18720 * time.Microsecond, 500},
	} {
		costs := searchingCosts(t, 5000, fmt.Sprintf(`
			{"operation": "", "from": "begun", "to": "ending", "ns": %[1]d},
			{"operation": "", "from": "begun", "to": "passing", "ns": %[1]d},
			{"operation": "", "from": "ending", "to": "passing", "ns": 50},
			{"operation": "", "from": "passing", "to": "begun", "ns": 50},
			{"operation": "", "from": "passing", "to": "ending", "ns": 50},
			{"operation": "", "from": "passing", "to": "passing", "ns": 50}`, k.task))
		r := runSearching(t, costs, k.processors, func(c *freerun.Context) {
			for range k.processors / 2 {
				_ = chainLink.Tell(c, links)
			}
		})
		searching, all := sum(r.Searching), time.Duration(k.processors)*r.Elapsed
		did := total(r)
		t.Logf("%d processors, tasks of %v: searching %v of %v, %v in all; %d tasks, %d searches, %d thefts, %d wake-ups",
			k.processors, k.task, searching, all, r.Elapsed, did.Messages, did.Searches, did.Steals, did.Wakes)
		if 1000*did.Wakes > k.wakes*did.Messages {
			t.Errorf("%d processors, tasks of %v: %d wake-ups for %d tasks", k.processors, k.task, did.Wakes, did.Messages)
		}
		if r.Elapsed > k.most {
			t.Errorf("%d processors, tasks of %v: %v in all, want at most %v", k.processors, k.task, r.Elapsed, k.most)
		}
		// Half of the processors work, half as many search, and some that were just woken.
		if 3*searching > all {
			t.Errorf("%d processors, tasks of %v: searching %v, more than a third of %v", k.processors, k.task, searching, all)
		}
		// Tasks that are shorter than two looks are hardly ever stolen. Then one processor
		// searches, and at the beginning and at the end each one does, for three looks.
		look := lookCost + time.Duration(k.processors-1)*probeCost
		if few := r.Elapsed + time.Duration(2*3*k.processors)*look; k.task <= time.Microsecond && searching > few {
			t.Errorf("%d processors, tasks of %v: searching %v, want at most %v", k.processors, k.task, searching, few)
		}
	}
}

// total returns what all processors have done.
func total(r simulate.Result) (all freerun.ProcessorStats) {
	for _, p := range r.Stats.Processors {
		all.Messages += p.Messages
		all.Searches += p.Searches
		all.Steals += p.Steals
		all.Parks += p.Parks
		all.Wakes += p.Wakes
	}
	return all
}

var chainLink = freerun.FreeOp[int, struct{}]("link", nil)

var _ = freerun.Define(chainLink, func(c *freerun.Context, left int) (struct{}, error) {
	if left == 0 {
		return struct{}{}, nil
	}
	return struct{}{}, chainLink.Tell(c, left-1)
})

// TestOneTaskAtATime holds contract 9 where tasks come from outside, one at a time, each to a
// runtime that sleeps: one processor wakes, which searches before the task and after it.
func TestOneTaskAtATime(t *testing.T) {
	const tasks = 100
	costs := searchingCosts(t, 5000, `{"operation": "", "from": "begun", "to": "ending", "ns": 1000}, {"operation": "", "from": "ending", "to": "passing", "ns": 50}`)
	for _, processors := range []int{2, 8, 64, 256} {
		// All processors begin awake, so the first run has what they do at the beginning.
		before, after := oneAtATime(t, costs, processors, 1), oneAtATime(t, costs, processors, 1+tasks)
		did, began := total(after), total(before)
		for what, k := range map[string]struct{ n, most uint64 }{
			"searches": {did.Searches - began.Searches, 2 * tasks},
			"wake-ups": {did.Wakes - began.Wakes, tasks},
			"parks":    {did.Parks - began.Parks, tasks},
			"thefts":   {did.Steals - began.Steals, 0},
		} {
			if k.n > k.most {
				t.Errorf("%d processors, %d tasks: %d %s, want at most %d", processors, tasks, k.n, what, k.most)
			}
		}
		// The look that finds the task, and three in vain before it sleeps.
		look := lookCost + time.Duration(processors-1)*probeCost
		if searching := sum(after.Searching) - sum(before.Searching); searching > 4*tasks*look {
			t.Errorf("%d processors: searching %v for %d tasks, want at most %v", processors, searching, tasks, 4*tasks*look)
		}
	}
}

func oneAtATime(t *testing.T, costs *simulate.Costs, processors, tasks int) simulate.Result {
	t.Helper()
	r, err := costs.Run(func(on *simulate.Host) (time.Duration, error) {
		rt := on.New()
		defer rt.Close()
		for range tasks {
			if err := loneChild.Tell(rt.Context(), struct{}{}); err != nil {
				return 0, err
			}
			if err := rt.Quiesce(context.Background()); err != nil {
				return 0, err
			}
		}
		return 0, nil
	}, processors)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLoneTasksSpread holds contract 5 where each of half the processors has one task for another:
// they do not wait for one searcher that is woken after the other.
func TestLoneTasksSpread(t *testing.T) {
	const task, wakeup = time.Millisecond, 50 * time.Microsecond
	const piece = `
			{"operation": "github.com/freerun-go/freerun/simulate_test.%s", "from": "%s", "to": "%s", "ns": %d}`
	costs := searchingCosts(t, wakeup, strings.Join([]string{
		fmt.Sprintf(piece, "parent", "begun", "sending", wakeup),
		fmt.Sprintf(piece, "parent", "sending", "ending", task),
		fmt.Sprintf(piece, "child", "begun", "ending", task),
		fmt.Sprintf(piece, "child", "ending", "passing", 50),
		fmt.Sprintf(piece, "child", "passing", "begun", 50),
		fmt.Sprintf(piece, "child", "passing", "passing", 50),
	}, ","))
	for _, processors := range []int{8, 32, 128} {
		r := runSearching(t, costs, processors, func(c *freerun.Context) {
			for range processors / 2 {
				_ = loneParent.Tell(c, struct{}{})
			}
		})
		t.Logf("%d processors: %v in all", processors, r.Elapsed)
		// One after the other they would take 64 times wakeup with 128 processors.
		if most := task + 8*wakeup; r.Elapsed > most {
			t.Errorf("%d processors: %v in all, want at most %v", processors, r.Elapsed, most)
		}
	}
}

var loneChild = freerun.FreeOp("child", func(*freerun.Context, struct{}) (struct{}, error) { return struct{}{}, nil })

var loneParent = freerun.FreeOp("parent", func(c *freerun.Context, _ struct{}) (struct{}, error) {
	return struct{}{}, loneChild.Tell(c, struct{}{})
})

func searchingCosts(t *testing.T, wakeup time.Duration, pieces string) *simulate.Costs {
	t.Helper()
	costs, err := simulate.ReadCosts(strings.NewReader(fmt.Sprintf(`{
		"transfer_ns": 60, "wake_ns": 1000, "wakeup_ns": %d,
		"look_ns": %d, "probe_ns": %d, "steal_ns": 180,
		"pieces": [%s]
	}`, wakeup, lookCost, probeCost, pieces)))
	if err != nil {
		t.Fatal(err)
	}
	return costs
}

func runSearching(t *testing.T, costs *simulate.Costs, processors int, send func(c *freerun.Context)) simulate.Result {
	t.Helper()
	r, err := costs.Run(func(on *simulate.Host) (time.Duration, error) {
		rt := on.New()
		defer rt.Close()
		began := rt.Now()
		send(rt.Context())
		err := rt.Quiesce(context.Background())
		return rt.Now().Sub(began), err
	}, processors)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
