package freerun_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/simhost"
)

// rallyMachine is a machine of the tests: a unit counts what comes, and sends it back.
type rallyMachine struct {
	member *simhost.Member
	rt     *freerun.Runtime
	other  *rallyMachine
	count  *freerun.Unit[int]
	log    *[]string
	name   string
	done   *freerun.Promise[int]
}

const rallyBalls = 40

var rallyHit *freerun.Operation[int, *rallyMachine, struct{}]

func init() { rallyHit = freerun.Op("rallyHit", rallyHits) } // it leads to itself

func rallyHits(c *freerun.Context, n *int, m *rallyMachine) (struct{}, error) {
	*n++
	*m.log = append(*m.log, fmt.Sprintf("%v %s %d", m.member.Now(), m.name, *n))
	if *n == rallyBalls {
		m.done.Resolve(*n, nil)
		return struct{}{}, nil
	}
	other := m.other
	other.member.After(time.Duration(*n)*time.Millisecond, func() {
		_ = rallyHit.Tell(other.rt.Context(), other.count, other)
	})
	return struct{}{}, nil
}

func (m *rallyMachine) begin() {
	m.rt = freerun.New(freerun.Processors(2), simhost.Option[freerun.Option](m.member))
	m.count = freerun.NewUnit(m.rt, 0)
	m.done = freerun.NewPromise[int](m.rt.Context())
}

// rally has two machines send each other a ball, until each has hit it.
func rally(t *testing.T, seed uint64, crashAt time.Duration) (log []string, errs [2]error) {
	random := rand.New(rand.NewPCG(seed, 1))
	j := simhost.NewJoint(random, 20*time.Microsecond)
	both := [2]*rallyMachine{{name: "left", log: &log}, {name: "right", log: &log}}
	both[0].other, both[1].other = both[1], both[0]
	for i, m := range both {
		j.Begin(simhost.Draw(random, seed%2 == 0, 2), func(member *simhost.Member) {
			m.member = member
			m.begin()
			defer m.rt.Close()
			// The other one may not have begun: its runtime is there a second later.
			member.After(time.Second, func() {
				if m.name == "left" {
					_ = rallyHit.Tell(m.rt.Context(), m.count, m)
				}
				if crashAt > 0 && m.name == "right" {
					m.other.member.After(crashAt, m.other.member.Crash)
				}
			})
			member.After(time.Hour, func() {}) // it waits for the other one, and is not stalled
			_, errs[i] = m.done.Future().Wait(context.Background())
			if err := member.Refused(); err != nil {
				t.Error(err)
			}
		})
	}
	j.Run()
	return log, errs
}

// TestJoint holds that two runtimes pass the same time, step by step, and that a seed repeats that.
func TestJoint(t *testing.T) {
	for seed := range uint64(20) {
		log, errs := rally(t, seed, 0)
		if len(log) != 2*rallyBalls-1 && len(log) != 2*rallyBalls {
			t.Fatalf("seed %d: %d hits, %v", seed, len(log), errs)
		}
		for i := range log {
			if name := [2]string{"left", "right"}[i%2]; !slices.Contains([]string{name}, rallyField(log[i])) {
				t.Errorf("seed %d: rallyHit %d is %s", seed, i, log[i])
			}
		}
		if again, _ := rally(t, seed, 0); !slices.Equal(again, log) {
			t.Errorf("seed %d does not repeat its run", seed)
		}
	}
}

func rallyField(line string) (name string) {
	var at string
	if _, err := fmt.Sscan(line, &at, &name); err != nil {
		return err.Error()
	}
	return name
}

// TestJointCrash holds that one of two runtimes can crash while the other one goes on.
func TestJointCrash(t *testing.T) {
	for seed := range uint64(20) {
		log, errs := rally(t, seed, 300*time.Millisecond)
		if !errors.Is(errs[0], freerun.ErrClosed) {
			t.Errorf("seed %d: the machine that has crashed waited until %v", seed, errs[0])
		}
		if !errors.Is(errs[1], freerun.ErrStalled) || len(log) >= 2*rallyBalls-1 {
			t.Errorf("seed %d: the other one waited until %v, with %d hits", seed, errs[1], len(log))
		}
	}
}

// TestJointBetween holds that what is between the members happens in its order and at its time,
// while they run, while they wait, and when one of them has ended.
func TestJointBetween(t *testing.T) {
	for seed := range uint64(20) {
		random := rand.New(rand.NewPCG(seed, 3))
		j := simhost.NewJoint(random, 20*time.Microsecond)
		var at []time.Duration
		for i := range 30 {
			j.After(time.Duration(i)*40*time.Millisecond, func() { at = append(at, j.Now()) })
		}
		for n := range 2 {
			j.Begin(simhost.Draw(random, seed%2 == 0, 2), func(member *simhost.Member) {
				rt := freerun.New(freerun.Processors(2), simhost.Option[freerun.Option](member))
				defer rt.Close()
				if _, err := freerun.After(rt.Context(), time.Duration(1+n)*time.Second).Wait(context.Background()); err != nil {
					t.Error(err)
				}
			})
		}
		j.Run()
		if len(at) != 30 || !slices.IsSorted(at) {
			t.Fatalf("seed %d: %v", seed, at)
		}
		for i, now := range at {
			if due := time.Duration(i) * 40 * time.Millisecond; now < due || now > due+time.Millisecond {
				t.Errorf("seed %d: what is due at %v came at %v", seed, due, now)
			}
		}
	}
}
