package clustertest

import (
	"maps"
	"strconv"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// court is the state of units that play rallies: how often each was hit there.
type court struct{ Hits map[int]int }

// hit is one of a rally. Left are to follow.
type hit struct{ ID, Left int }

var (
	courts = freerun.NewKind("court", func(*freerun.Context, int) (court, error) { return court{map[int]int{}}, nil }, cluster.Durable())
	rally  = freerun.Op[court, hit, int]("rally", nil)
	hits   = freerun.ReadOp("hits", func(_ *freerun.Context, a *court, _ struct{}) (map[int]int, error) { return maps.Clone(a.Hits), nil })
)

func init() {
	freerun.Define(rally, func(c *freerun.Context, a *court, h hit) (int, error) {
		a.Hits[h.ID]++
		if h.Left == 0 {
			return 0, nil
		}
		return 0, rally.Tell(c, courts.At(c, (h.ID+h.Left)%3), hit{h.ID, h.Left - 1})
	})
}

// runRallies has units tell each other for long, life after life, and holds that each rally is
// played to its end. It returns how many messages were left to later lives.
func runRallies(s *Sim) (left int) {
	var sent []hit
	var outcomes []freerun.Future[int]
	for rt, node := range s.Lives() {
		left += node.Stats().Left
		for range s.Count(5) {
			h := hit{len(sent), s.Random().IntN(300)}
			sent = append(sent, h)
			f := rally.Send(rt.Context(), courts.At(rt.Context(), h.ID%3), h)
			if outcomes = append(outcomes, f); s.Random().IntN(2) == 0 {
				_, _ = f.Wait(s.Context())
			}
		}
	}
	rt, node := s.Last()
	all, failed := map[int]int{}, map[string]bool{}
	for key := range 3 {
		each, err := hits.Send(rt.Context(), courts.At(rt.Context(), key), struct{}{}).Wait(s.Context())
		if err != nil {
			s.Fatal(err)
		}
		for id, n := range each {
			all[id] += n
		}
	}
	for f := range node.Failures() { // two processes have ended while these were delivered
		failed[idOf.FindString(string(f.Arg))] = true
	}
	for i, h := range sent {
		_, err := outcomes[i].Wait(s.Context())
		if n := all[h.ID]; !failed[strconv.Itoa(h.ID)] && n != h.Left+1 && (err == nil || n != 0) {
			s.Errorf("rally %d has %d hits of %d, and its outcome is %v", h.ID, n, h.Left+1, err)
		}
	}
	return left
}

// TestRallies holds that what units tell each other takes effect once, whatever ends the lives
// meanwhile; and that a Shutdown leaves some of it to the next life.
func TestRallies(t *testing.T) {
	Run(t, Options{Seeds: ourSeeds / 5}, func(s *Sim) { runRallies(s) })
	left := 0
	Run(t, Options{Seeds: max(ourSeeds/50, 3), Faults: &Faults{}}, func(s *Sim) { left += runRallies(s) })
	if left == 0 {
		t.Error("a Shutdown has left nothing")
	}
}
