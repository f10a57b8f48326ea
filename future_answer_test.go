package freerun_test

import (
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

// endless is the state of a unit that sends itself a message for each that it gets.
type endless struct {
	unit  *freerun.Unit[*endless]
	ran   atomic.Int64
	ended atomic.Bool
}

// floodMore sends itself.
var floodMore = freerun.Op[*endless, struct{}, struct{}]("flood more", nil)

var (
	_ = freerun.Define(floodMore, freerun.NoResult(func(c *freerun.Context, f **endless, _ struct{}) error {
		if (*f).ran.Add(1); (*f).ended.Load() {
			return nil
		}
		return floodMore.Tell(c, (*f).unit, struct{}{})
	}))
	resolve = freerun.Op("resolve", freerun.NoResult(func(_ *freerun.Context, e **endless, p *freerun.Promise[int64]) error {
		p.Resolve((*e).ran.Load(), nil)
		return nil
	}))
	ranAfter = freerun.Op("ran after", func(_ *freerun.Context, e **endless, d time.Duration) (int64, error) {
		for begun := time.Now(); time.Since(begun) < d; {
		}
		return (*e).ran.Load(), nil
	})
	ranOf = freerun.Op("ran of flood", func(_ *freerun.Context, f **endless, _ struct{}) (int64, error) { return (*f).ran.Load(), nil })
)

// TestAnswersBesideFlood has a goroutine ask a quiet unit, or an activity, while another unit is
// flooded on the only processor and the only P. It counts the messages of the flood that run
// between the answer and the goroutine's next step: few, though the processor lets others run only
// after hundreds otherwise.
func TestAnswersBesideFlood(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	rt := freerun.New(freerun.Processors(1))
	defer rt.Close()
	ctx := rt.Context()

	var f endless
	f.unit = freerun.NewUnit(rt, &f)
	for range 1000 {
		if err := floodMore.Tell(ctx, f.unit, struct{}{}); err != nil {
			t.Fatal(err)
		}
	}
	defer rt.Quiesce(t.Context())
	defer f.ended.Store(true)

	quiet := freerun.NewUnit(rt, &f)
	asked, answers := activity.NewMailbox[struct{}](1), activity.NewMailbox[int64](1)
	answering := activity.Go(ctx, func(a *activity.Activity) {
		for {
			if _, err := asked.Receive(a); err != nil {
				return
			}
			if answers.Send(a, f.ran.Load()) != nil {
				return
			}
		}
	})
	defer func() {
		asked.Close()
		answering.Wait(t.Context())
	}()

	for _, c := range []struct {
		name string
		ask  func() (int64, error) // asks, and returns the count at the answer
	}{
		{"Call", func() (int64, error) { return ranOf.Call(ctx, quiet, struct{}{}) }},
		{"Wait", func() (int64, error) { return ranOf.Send(ctx, quiet, struct{}{}).Wait(t.Context()) }},
		{"Done", func() (int64, error) {
			answer := ranOf.Send(ctx, quiet, struct{}{})
			<-answer.Done()
			return answer.Wait(t.Context())
		}},
		{"Mailbox", func() (int64, error) {
			if err := asked.Send(t.Context(), struct{}{}); err != nil {
				return 0, err
			}
			return answers.Receive(t.Context())
		}},
		{"Promise", func() (int64, error) {
			p := freerun.NewPromise[int64](ctx)
			if err := resolve.Tell(ctx, quiet, p); err != nil {
				return 0, err
			}
			return p.Future().Wait(t.Context())
		}},
		{"Scope", func() (int64, error) {
			scope := rt.Scope(t.Context())
			defer scope.Cancel(nil)
			answer := ranOf.Send(scope.Context(), quiet, struct{}{})
			if err := scope.Wait(t.Context()); err != nil {
				return 0, err
			}
			return answer.Wait(t.Context())
		}},
		{"long", func() (int64, error) { return ranAfter.Call(ctx, quiet, 12*time.Millisecond) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			const asks = 21
			var between [asks]int64
			for i := range between {
				time.Sleep(time.Millisecond)
				then, err := c.ask()
				if err != nil {
					t.Fatal(err)
				}
				between[i] = f.ran.Load() - then
			}
			slices.Sort(between[:])
			if median := between[asks/2]; median > 16 {
				t.Errorf("%d messages of the flood ran in the median after the answer, from %d to %d",
					median, between[0], between[asks-1])
			}
		})
	}
}
