package hot

import (
	"context"
	"sync/atomic"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/programs"
)

// burner is the state of a hot unit.
type burner struct {
	other   *freerun.Unit[burner]
	stopped *atomic.Bool
	kept    int // messages that came after the stop
}

// answerer is the state of a quiet unit.
type answerer struct{ answered int }

// pass sends itself.
var pass = freerun.Op[burner, struct{}, struct{}]("pass", nil)

var (
	meet = freerun.Op("meet", freerun.NoResult(func(_ *freerun.Context, b *burner, other *freerun.Unit[burner]) error {
		b.other = other
		return nil
	}))
	kept = freerun.Op("kept", func(_ *freerun.Context, b *burner, _ struct{}) (int, error) {
		return b.kept, nil
	})
	answer = freerun.Op("answer", func(_ *freerun.Context, a *answerer, _ struct{}) (int, error) {
		a.answered++
		return a.answered, nil
	})
	answered = freerun.Op("answered", func(_ *freerun.Context, a *answerer, _ struct{}) (int, error) {
		return a.answered, nil
	})
	// ignite fills the mailboxes from inside, because ordinary goroutines that send too fast are
	// held back.
	ignite = freerun.FreeOp("ignite", func(c *freerun.Context, f fire) (struct{}, error) {
		for range f.depth {
			for _, b := range f.burners {
				if err := pass.Tell(c, b, struct{}{}); err != nil {
					return struct{}{}, err
				}
			}
		}
		return struct{}{}, nil
	})
)

// fire is the argument of ignite.
type fire struct {
	burners [hotOnes]*freerun.Unit[burner]
	depth   int
}

var _ = freerun.Define(pass, freerun.NoResult(func(c *freerun.Context, b *burner, _ struct{}) error {
	if b.stopped.Load() {
		b.kept++
		return nil
	}
	return pass.Tell(c, b.other, struct{}{})
}))

func runUnits(cfg programs.Config) (result programs.Result, err error) {
	rt := cfg.NewRuntime()
	defer func() {
		if closing := rt.Close(); err == nil {
			err = closing
		}
	}()
	ctx, outside := context.Background(), rt.Context()
	var stopped atomic.Bool
	f := fire{depth: cfg.Values.Get(paramDepth)}
	for i := range f.burners {
		f.burners[i] = freerun.NewUnit(rt, burner{stopped: &stopped})
	}
	for i, b := range f.burners {
		if _, err := meet.Send(outside, b, f.burners[(i+1)%hotOnes]).Wait(ctx); err != nil {
			return result, err
		}
	}
	var quiet [quietOnes]*freerun.Unit[answerer]
	for i := range quiet {
		quiet[i] = freerun.NewUnit(rt, answerer{})
	}
	return run(subject{
		call: func(i int) error {
			_, err := answer.Send(outside, quiet[i], struct{}{}).Wait(ctx)
			return err
		},
		flood: func() error {
			_, err := ignite.Send(outside, f).Wait(ctx)
			return err
		},
		stop: func() error {
			stopped.Store(true)
			return rt.Quiesce(ctx)
		},
		count: func() (calls, left int, err error) {
			for _, q := range quiet {
				n, err := answered.Send(outside, q, struct{}{}).Wait(ctx)
				if err != nil {
					return calls, left, err
				}
				calls += n
			}
			for _, b := range f.burners {
				n, err := kept.Send(outside, b, struct{}{}).Wait(ctx)
				if err != nil {
					return calls, left, err
				}
				left += n
			}
			return calls, left, nil
		},
	}, cfg)
}
