package conformance

import (
	"testing"
	"time"
)

// reports names the rungs that must report a flaw.
type reports struct {
	flaw  flaw
	rungs []string
}

// impatient makes stuck crews give up soon, and returns a function that undoes this.
func impatient() func() {
	before := patience
	patience = 100 * time.Millisecond
	return func() { patience = before }
}

// fails runs the rungs for a flaw on a container with the flaw; one of them must report it. A flaw
// that shows only when goroutines meet gets more rounds.
func fails[S any](t *testing.T, spec func(f flaw) S, rungs func(s S) []rung[S], cases []reports) {
	t.Helper()
	defer impatient()()
	const rounds = 20
	for _, c := range cases {
		t.Run(string(c.flaw), func(t *testing.T) {
			s := spec(c.flaw)
			for _, name := range c.rungs {
				var report error
				found := false
				for _, r := range rungs(s) {
					if r.name != name {
						continue
					}
					found = true
					for seed := range uint64(rounds) {
						if report = r.test(s, seed); report != nil {
							break
						}
					}
				}
				switch {
				case !found:
					t.Errorf("there is no rung %q", name)
				case report == nil:
					t.Errorf("rung %q has nothing against it", name)
				default:
					t.Logf("%s: %.300s", name, report)
				}
			}
		})
	}
}

func TestQueueFails(t *testing.T) {
	fails(t, rings, queueRungs, []reports{
		{losesOnWrap, []string{"sequential", "wrap", "stress"}},
		{loses, []string{"sequential", "stress", "order", "linearizable"}},
		{doubles, []string{"sequential", "stress", "order", "linearizable"}},
		{swaps, []string{"sequential", "stress", "order", "linearizable"}},
		{saysEmpty, []string{"sequential", "linearizable", "truthful", "balanced"}},
		{saysFull, []string{"sequential", "capacity", "linearizable", "truthful", "balanced"}},
		{keeps, []string{"retention"}},
		{tears, []string{"wide"}},
		{overfills, []string{"sequential", "capacity", "stampede"}},
		{small, []string{"capacity"}},
		{takesZero, []string{"capacity"}},
		{unworded, []string{"capacity"}},
		{invents, []string{"sequential"}},
		{miscounts, []string{"sequential"}},
		{shortBatch, []string{"sequential", "batch"}},
		{longBatch, []string{"sequential", "batch"}},
		{turnedBatch, []string{"sequential", "batch", "linearizable"}},
		{greedyDrain, []string{"sequential"}},
		{busyEmpty, []string{"truthful", "balanced", "stampede"}},
		{busyFull, []string{"truthful", "balanced", "stampede"}},
		{busyTakes, []string{"stress", "stampede", "linearizable"}},
		{busyPuts, []string{"stress", "stampede", "linearizable"}},
		{busySwaps, []string{"stress"}},
		{busyKeeps, []string{"retention"}},
		{busyStuck, []string{"stress", "truthful"}},
	})
}

func TestStackFails(t *testing.T) {
	spec := func(f flaw) QueueSpec { return stacks(f).queue(t) }
	fails(t, spec, queueRungs, []reports{
		{pilePops, []string{"sequential", "wrap", "linearizable"}},
		{pileLoses, []string{"sequential", "stress", "linearizable"}},
		{pileTwice, []string{"stampede", "stress", "linearizable"}},
		{pileEmpty, []string{"sequential", "truthful", "balanced", "linearizable"}},
		{pileKeeps, []string{"retention"}},
		{pileTears, []string{"wide"}},
	})
}

func TestDequeFails(t *testing.T) {
	fails(t, deques, dequeRungs, []reports{
		{pilePops, []string{"sequential", "wrap", "linearizable"}},
		{pileSteals, []string{"sequential", "wrap", "linearizable", "stress"}},
		{pileLoses, []string{"sequential", "wrap", "linearizable", "stress"}},
		{pileTwice, []string{"stampede", "stress", "linearizable"}},
		{pileEmpty, []string{"sequential", "truthful", "linearizable"}},
		{pileKeeps, []string{"retention"}},
		{pileTears, []string{"wide"}},
		{pileRetry, []string{"sequential", "linearizable"}},
		{pileRetryN, []string{"sequential", "stress", "linearizable"}},
	})
}

func TestLockFails(t *testing.T) {
	fails(t, locks, lockRungs, []reports{
		{admitsTwo, []string{"exclusion", "storm"}},
		{triesTwo, []string{"sequential", "refusal", "storm"}},
		{refusesFree, []string{"sequential"}},
		{leavesTwice, []string{"refusal", "storm", "abandoned"}},
		{otherReason, []string{"refusal", "storm"}},
		{silentUnlock, []string{"sequential"}},
	})
}
