//go:build explore

package deque

import (
	"fmt"
	"testing"
	"time"

	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/internal/verify/linear"
)

// scenario is a small concurrent program. In its scripts, u is a push, o a pop, s a steal, e asks
// whether the deque is empty, and n asks for its length.
type scenario struct {
	name    string
	size    int    // of the deque's array
	before  string // the owner's script before the threads begin
	owner   string
	thieves []string
}

var scenarios = []scenario{
	{"last one", 2, "u", "o", []string{"s", "s"}},
	{"last one twice", 2, "u", "ouo", []string{"ss"}},
	{"last two", 2, "uu", "oo", []string{"s", "s"}},
	{"last two and more", 4, "uu", "ouuo", []string{"ss"}},
	{"first one", 2, "", "uo", []string{"s", "s"}},
	{"first one twice", 2, "", "uouo", []string{"ss"}},
	{"looked at", 2, "u", "ou", []string{"s", "e"}},
	{"looked at twice", 2, "u", "uou", []string{"se"}},
	{"full", 2, "uu", "uuo", []string{"ss"}},
	{"full at one", 1, "u", "u", []string{"s", "s"}},
	{"round", 2, "usus", "uuu", []string{"sss"}},
	{"round at one", 1, "u", "uou", []string{"ss"}},
	{"taken and pushed anew", 1, "u", "ouo", []string{"s", "s"}},
	{"three thieves", 2, "uu", "o", []string{"s", "s", "s"}},
	{"last three", 4, "uuu", "ooo", []string{"ss", "s"}},
	{"grows and shrinks", 2, "uu", "uoo", []string{"s", "s"}},
	{"two at once", 2, "u", "uouo", []string{"s", "s"}},
	{"two at once looked at", 2, "u", "uouo", []string{"s", "e"}},
	{"counted", 2, "u", "o", []string{"s", "n"}},
	{"counted at the first", 2, "", "uon", []string{"n"}},
	{"counted beside a thief", 2, "uu", "n", []string{"s", "n"}},
	{"counted when it is full", 2, "uu", "uun", []string{"sn"}},
}

// larger are scenarios for random executions.
var larger = scenario{"larger", 2, "uu", "uouuoouo", []string{"sss", "ses"}}

// run makes the scenario's threads. In the end it checks that their history, with the values that
// are left, is one of a deque.
func (s scenario) run(r *explore.Run, d ends, m linear.Model) {
	recorder := linear.NewRecorder(1 + len(s.thieves))
	next := 1
	follow := func(c *linear.Client, script string) {
		for _, what := range script {
			switch what {
			case 'u':
				c.Push(next, d.push)
				next++
			case 'o':
				c.Pop(d.pop)
			case 's':
				c.Steal(func() (v int, ok, lost bool) {
					v, outcome := d.steal()
					return v, outcome == Stolen, outcome == Retry
				})
			case 'e':
				c.Empty(d.empty)
			case 'n':
				c.Len(d.len)
			}
		}
	}
	own := recorder.Client(0)
	follow(own, s.before)
	r.Go("owner", func() {
		follow(own, s.owner)
		own.Done()
	})
	for i, script := range s.thieves {
		r.Go(fmt.Sprintf("thief %d", i+1), func() {
			follow(recorder.Client(i+1), script)
			recorder.Client(i + 1).Done()
		})
	}
	r.After(func() {
		for more := true; more; {
			_, more = own.Pop(d.pop)
		}
		if d.cap != nil && d.cap() != s.size {
			r.Failf("Cap() = %d, want %d", d.cap(), s.size)
		}
		if err := linear.Check(m.Measured(linear.Near).Vague(), recorder.History()); err != nil {
			r.Failf("%v", err)
		}
	})
}

var (
	lockFree = linear.Deque(linear.Unbounded, linear.Strict, linear.RetryTaken)
	locked   = linear.Deque(linear.Unbounded, linear.Strict, linear.RetryBusy)
)

func room(size int) linear.Model { return linear.Deque(size, linear.Strict, linear.RetryTaken) }

// TestExploreGrowable has buffers that are soon full, so that they grow in many of the scenarios.
func TestExploreGrowable(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) { explore.Exhaustive(t, explore.Unbounded, s.growable) })
	}
	t.Run("random", func(t *testing.T) { explore.Random(t, 5_000, larger.growable) })
	t.Run("frozen", func(t *testing.T) { explore.Freeze(t, larger.growable) })
	t.Run("oldest", func(t *testing.T) { explore.Exhaustive(t, explore.Unbounded, oldest) })
}

// oldest looks at the oldest value before and after a theft, while the owner pops and pushes: the
// index grows by the theft, and not beyond the values that were pushed.
func oldest(r *explore.Run) {
	const pushed = 3
	d := NewGrowable[int]()
	d.Push(new(int))
	r.Go("owner", func() {
		for range pushed - 1 {
			d.Pop()
			d.Push(new(int))
		}
	})
	r.Go("thief", func() {
		thief := d.Thief()
		before, _ := thief.Oldest()
		_, outcome := thief.Steal()
		after, _ := thief.Oldest()
		if after < before || after == before && outcome == Stolen || after > pushed {
			r.Failf("the index of the oldest was %d, then %d, and a theft between them is %v", before, after, outcome)
		}
	})
}

func (s scenario) growable(r *explore.Run) { s.run(r, growableEnds(s.size, 0), lockFree) }

// TestExploreBounded begins where the index is about to wrap around.
func TestExploreBounded(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) { explore.Exhaustive(t, explore.Unbounded, s.bounded) })
	}
	t.Run("random", func(t *testing.T) { explore.Random(t, 5_000, larger.bounded) })
	t.Run("frozen", func(t *testing.T) { explore.Freeze(t, larger.bounded) })
}

func (s scenario) bounded(r *explore.Run) { s.run(r, boundedEnds(s.size, 1<<32-1), room(s.size)) }

// bound is the number of preemptions that a scenario of Hybrid may have: unbounded with one thief,
// three with more, because calls that lock are longer than those of the other deques.
func (s scenario) bound() int {
	if len(s.thieves) > 1 {
		return 3
	}
	return explore.Unbounded
}

// TestExploreHybrid has thieves that wait for the lock and, where there are two, thieves that do
// not.
func TestExploreHybrid(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) { explore.Exhaustive(t, s.bound(), s.hybrid) })
		if len(s.thieves) > 1 {
			t.Run(s.name+" patiently", func(t *testing.T) { explore.Exhaustive(t, s.bound(), s.patient) })
		}
	}
	t.Run("random", func(t *testing.T) { explore.Random(t, 5_000, larger.hybrid) })
}

func (s scenario) hybrid(r *explore.Run)  { s.run(r, hybridEnds(s.size, 0, 0), locked) }
func (s scenario) patient(r *explore.Run) { s.run(r, hybridEnds(s.size, 0, time.Second), locked) }

// TestExploreHybridFrozen stops threads where Hybrid promises that no other call waits for them:
// while there is room, and the thieves are not at the last value.
func TestExploreHybridFrozen(t *testing.T) {
	s := scenario{size: 4, before: "uuu", owner: "ouo", thieves: []string{"s", "s"}}
	explore.Freeze(t, s.hybrid)
}

// TestExploreHybridBlocks stops threads where Hybrid says that another call waits for them.
func TestExploreHybridBlocks(t *testing.T) {
	claimed := scenario{size: 2, before: "u", owner: "o", thieves: []string{"s"}}
	full := scenario{size: 2, before: "uu", owner: "u", thieves: []string{"s"}}
	thieves := scenario{size: 2, before: "uu", thieves: []string{"s", "s"}}
	t.Run("Pop for a thief", func(t *testing.T) { explore.MustBlock(t, claimed.hybrid) })
	t.Run("Push for a thief", func(t *testing.T) { explore.MustBlock(t, full.hybrid) })
	t.Run("TrySteal for the owner", func(t *testing.T) { explore.MustBlock(t, full.patient) })
	t.Run("TrySteal for a thief", func(t *testing.T) { explore.MustBlock(t, thieves.patient) })
}
