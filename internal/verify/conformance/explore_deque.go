//go:build explore

package conformance

import (
	"fmt"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/internal/verify/linear"
)

// ExploreDeque explores a deque as [ExploreQueue] explores a queue. In its programs the first
// thread is the owner: p pushes and o pops. The others are thieves: s steals.
func ExploreDeque(t *testing.T, s DequeSpec) {
	t.Helper()
	all := scenarios(s.Bounded, s.fits, "po-s", "oo-ss", "pp-ss", "opo-s", "o-s", "p-s", "o-s-s", "po-s-s", "pp-s-s")
	explored(t, s.Long, all, s.body)
	for _, c := range scenarios(s.Bounded, s.fits, "popo-ss-ss-s") {
		t.Run(fmt.Sprintf("random/%v", c), func(t *testing.T) { explore.Random(t, randomExecutions, s.body(c)) })
	}
	frozen(t, s.NotLockFree, all, s.body)
}

// body returns the program of a scenario, for the explorer.
func (s DequeSpec) body(c scenario) func(r *explore.Run) {
	checker := linear.NewChecker(s.model(c.capacity))
	threads := strings.Split(c.threads, "-")
	return func(r *explore.Run) {
		d := s.New(c.capacity)
		recorder := linear.NewRecorder(len(threads) + 1)
		outside := recorder.Client(len(threads)) // the owner, before and after the threads
		next := 0
		push := func(client *linear.Client) {
			client.Push(next, d.Push)
			next++
		}
		for range c.items {
			push(outside)
		}
		r.Go(fmt.Sprintf("owner (%s)", threads[0]), func() {
			for _, call := range threads[0] {
				if call == 'p' {
					push(recorder.Client(0))
				} else {
					recorder.Client(0).Pop(d.Pop)
				}
			}
			recorder.Client(0).Done()
		})
		for i, calls := range threads[1:] {
			client, steal := recorder.Client(i+1), d.Thief()
			r.Go(fmt.Sprintf("thief %d (%s)", i+1, calls), func() {
				for range calls {
					client.Steal(func() (int, bool, bool) {
						v, outcome := steal()
						return v, outcome == Stolen, outcome == Retry
					})
				}
				client.Done()
			})
		}
		r.After(func() {
			for ok := true; ok; { // the items that are left are part of the history
				_, ok = outside.Pop(d.Pop)
			}
			if err := checker.Check(recorder.History()); err != nil {
				r.Failf("%v", err)
			}
		})
	}
}
