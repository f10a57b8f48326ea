package clustertest

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// clerk is the state of units that ask, have timers, and forget.
type clerk struct {
	Did, Asked, Answered, Rang []int
}

// errand is what a clerk is sent to do, with an identity: it may come again and again.
type errand struct {
	ID    int
	Asks  *target // another clerk
	Rings int     // after so many milliseconds, if positive
	Every bool    // again and again, until it has rung twice
	trouble
}

// asked is a question of a clerk.
type asked struct {
	ID   int
	Fail bool
	trouble
}

var (
	clerks = [...]*freerun.Kind[int, clerk]{
		freerun.NewKind("clerk", newClerk, cluster.Durable(cluster.OnceFor(year))),
		freerun.NewKind("servant", newClerk, cluster.Durable(cluster.OnceFor(year)), freerun.PassivateAfter(5*time.Millisecond)),
	}
	do = freerun.Op("do", func(c *freerun.Context, k *clerk, e errand) (int, error) {
		k.Did = append(k.Did, e.ID)
		if e.Asks != nil {
			question := asked{e.ID, e.ID%3 == 0, e.Asks.trouble}
			if err := cluster.Ask(c, answer, clerks[e.Asks.Of].At(c, e.Asks.Key), question, hearAnswer); err != nil {
				return 0, err
			}
		}
		set := cluster.TellAfter[clerk, int, int]
		if e.Every {
			set = cluster.Every[clerk, int, int]
		}
		if e.Rings > 0 {
			if err := set(c, time.Duration(e.Rings)*time.Millisecond, fmt.Sprint(e.ID), ring, e.ID); err != nil {
				return 0, err
			}
		}
		_, err := e.comes(c, &book{}, "do", e.ID)
		return len(k.Did), err
	})
	answer = freerun.Op("answer", func(c *freerun.Context, k *clerk, a asked) (int, error) {
		k.Asked = append(k.Asked, a.ID)
		if _, err := a.comes(c, &book{}, "answer", a.ID); err != nil {
			return 0, err
		}
		if a.Fail {
			return 0, errOdd
		}
		return a.ID, nil
	})
	hearAnswer = freerun.Op("hearAnswer", func(_ *freerun.Context, k *clerk, a cluster.Answer[asked, int]) (int, error) {
		id := a.Arg.ID
		if a.Err != nil {
			id = -id
		} else if a.Result != id {
			id = 0
		}
		k.Answered = append(k.Answered, id)
		return 0, nil
	})
	ring = freerun.Op("ring", func(c *freerun.Context, k *clerk, id int) (int, error) {
		k.Rang = append(k.Rang, id)
		if n := len(k.Rang); n > 1 && slices.Contains(k.Rang[:n-1], id) {
			_, err := cluster.Cancel(c, fmt.Sprint(id))
			return 0, err
		}
		return 0, nil
	})
	lookAt = freerun.ReadOp("lookAt", func(_ *freerun.Context, k *clerk, _ struct{}) (clerk, error) {
		return clerk{slices.Clone(k.Did), slices.Clone(k.Asked), slices.Clone(k.Answered), slices.Clone(k.Rang)}, nil
	})
)

func newClerk(*freerun.Context, int) (clerk, error) { return clerk{}, nil }

// errandOf finds the errand in the argument of what has failed.
var errandOf = regexp.MustCompile(`("ID":|^)[0-9]+`)

// year is longer than clocks jump.
const year = 365 * 24 * time.Hour

// sentErrand is an errand, and the outcomes of all calls with it.
type sentErrand struct {
	errand
	of, key  int
	outcomes []freerun.Future[int]
}

// TestErrands has errands sent again, also to later processes, until the last one: each is done
// once, or never; what it asks is answered once, and its timers ring once, or twice if they repeat.
func TestErrands(t *testing.T) {
	Run(t, Options{Seeds: ourSeeds}, func(s *Sim) {
		tried.Clear()
		var all []*sentErrand
		send := func(rt *freerun.Runtime, e *sentErrand) freerun.Future[int] {
			f := do.Send(cluster.Once(rt.Context(), fmt.Sprint(e.ID)), clerks[e.of].At(rt.Context(), e.key), e.errand)
			e.outcomes = append(e.outcomes, f)
			return f
		}
		troubles := &library{s: s}
		for rt := range s.Lives() {
			c, random := rt.Context(), s.Random()
			for range s.Count(30) {
				switch random.IntN(8) {
				case 0:
					clerks[random.IntN(len(clerks))].Stop(c, random.IntN(keys))
				case 1:
					_, _ = freerun.After(c, time.Duration(1+random.Int64N(int64(40*time.Millisecond)))).Wait(s.Context())
				case 2, 3:
					if len(all) > 0 {
						send(rt, all[random.IntN(len(all))])
					}
				default:
					e := &sentErrand{of: random.IntN(len(clerks)), key: random.IntN(keys)}
					e.errand = errand{ID: len(all) + 1, trouble: troubles.trouble()}
					e.Spoils = false
					if random.IntN(2) == 0 {
						e.Asks = &target{random.IntN(len(clerks)), random.IntN(keys), troubles.trouble()}
					}
					if random.IntN(3) == 0 {
						e.Rings, e.Every = 1+random.IntN(50), random.IntN(2) == 0
					}
					all = append(all, e)
					if f := send(rt, e); random.IntN(4) == 0 {
						_, _ = f.Wait(s.Context())
					}
				}
			}
		}
		rt, node := s.Last()
		_, _ = freerun.After(rt.Context(), time.Minute).Wait(s.Context()) // for the last timers
		checkErrands(s, s.Context(), rt, node, all)
	})
}

func checkErrands(s testing.TB, ctx context.Context, rt *freerun.Runtime, node *cluster.Node, all []*sentErrand) {
	did, asks, answered, recorded, rang := map[int]int{}, map[int]int{}, map[int]int{}, map[int]int{}, map[int]int{}
	for f, err := range node.Failures() { // two processes have ended under what is recorded
		if err != nil {
			s.Fatalf("failures: %v", err)
		}
		id, _ := strconv.Atoi(idOf.FindString(errandOf.FindString(string(f.Arg))))
		switch f.Operation {
		case "hearAnswer":
			recorded[id]++
		case "ring":
			rang[id]++
		default:
			s.Errorf("a failure of %s is recorded: a question is answered, whatever comes", f.Operation)
		}
	}
	for of := range clerks {
		for key := range keys {
			k, err := lookAt.Send(rt.Context(), clerks[of].At(rt.Context(), key), struct{}{}).Wait(ctx)
			if err != nil {
				s.Fatalf("clerk %d of kind %d: %v", key, of, err)
			}
			for count, ids := range map[*map[int]int][]int{&did: k.Did, &asks: k.Asked, &answered: k.Answered, &rang: k.Rang} {
				for _, id := range ids {
					(*count)[id]++
				}
			}
		}
	}
	for _, e := range all {
		id, n := e.ID, did[e.ID]
		for _, f := range e.outcomes {
			if _, err := f.Wait(ctx); err == nil && n != 1 {
				s.Errorf("errand %d has an outcome, and was done %d times", id, n)
			}
		}
		if n > 1 {
			s.Errorf("errand %d was done %d times", id, n)
		}
		if want := n * boolInt(e.Asks != nil); answered[id]+answered[-id]+recorded[id] != want {
			s.Errorf("errand %+v (asks %+v) was answered %d times well and %d times with an error, want %d", e.errand, e.Asks, answered[id], answered[-id], want)
		}
		if e.Asks != nil && answered[id] > 0 && asks[id] != 1 {
			s.Errorf("the question of errand %d had %d effects, and an answer", id, asks[id])
		}
		want := n * boolInt(e.Rings > 0) * (1 + boolInt(e.Every))
		// One that repeats may ring once more: a time may pass while the second one is under way.
		if got := rang[id]; got != want && !(e.Every && got > want) {
			s.Errorf("errand %d rang %d times, want %d", id, got, want)
		}
	}
	if answered[0] > 0 {
		s.Errorf("%d answers are of another question", answered[0])
	}
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
