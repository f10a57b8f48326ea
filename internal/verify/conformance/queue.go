package conformance

import (
	"fmt"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/replay"
)

// A rung is one test of a container that the spec S describes.
type rung[S any] struct {
	name string
	test func(s S, seed uint64) error
}

// queueRungs returns the rungs of a queue, the simplest defects first.
func queueRungs(s QueueSpec) []rung[QueueSpec] {
	rungs := []rung[QueueSpec]{{"sequential", sequential}}
	if s.Bounded {
		rungs = append(rungs, rung[QueueSpec]{"capacity", func(s QueueSpec, _ uint64) error { return capacity(s) }})
	}
	rungs = append(rungs, rung[QueueSpec]{"wrap", func(s QueueSpec, _ uint64) error { return wrap(s) }})
	if s.Order == FIFO {
		rungs = append(rungs, rung[QueueSpec]{"order", order})
	}
	rungs = append(rungs, rung[QueueSpec]{"stampede", stampede}, rung[QueueSpec]{"stress", stress})
	if in, out := s.hasBatches(); in || out {
		rungs = append(rungs, rung[QueueSpec]{"batch", batch})
	}
	return append(
		rungs,
		rung[QueueSpec]{"linearizable", linearizable},
		rung[QueueSpec]{"wide", torn},
		rung[QueueSpec]{"retention", retention},
		rung[QueueSpec]{"truthful", truthful},
		rung[QueueSpec]{"balanced", balanced},
	)
}

// Queue runs the ladder of tests on a queue, each rung as a subtest.
func Queue(t *testing.T, s QueueSpec) {
	t.Helper()
	if err := s.check(); err != nil {
		t.Fatal(err)
	}
	climb(t, s, queueRungs(s))
}

// climb runs each rung as a subtest.
func climb[S any](t *testing.T, s S, rungs []rung[S]) {
	t.Helper()
	for _, r := range rungs {
		t.Run(r.name, func(t *testing.T) {
			if err := r.test(s, replay.Seed(t)); err != nil {
				t.Error(err)
			}
		})
	}
}

// check returns an error if the spec makes no sense.
func (s QueueSpec) check() error {
	switch {
	case s.New == nil || s.NewWide == nil || s.NewBoxed == nil:
		return fmt.Errorf("ladder: a QueueSpec needs New, NewWide and NewBoxed")
	case s.EachProducer && (!s.Bounded || s.Order != PerProducer):
		return fmt.Errorf("ladder: EachProducer is for bounded queues in order for each producer")
	}
	return nil
}
