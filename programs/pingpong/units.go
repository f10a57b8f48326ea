package pingpong

import (
	"context"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/programs"
)

// player is the state of a unit.
type player struct {
	other    *freerun.Unit[player]
	finish   *programs.Finish
	received int
}

// hit has the number of hops left after it as its argument. It sends itself.
var hit = freerun.Op[player, int, struct{}]("hit", nil)

var _ = freerun.Define(hit, freerun.NoResult(func(c *freerun.Context, p *player, left int) error {
	p.received++
	if left == 0 {
		p.finish.Reached()
		return nil
	}
	err := hit.Tell(c, p.other, left-1)
	if err != nil {
		p.finish.Fail(err)
	}
	return err
}))

// meet tells a player the other one.
var meet = freerun.Op("meet",
	func(_ *freerun.Context, p *player, other *freerun.Unit[player]) (struct{}, error) {
		p.other = other
		return struct{}{}, nil
	})

// score returns how many messages a player received.
var score = freerun.Op("score", func(_ *freerun.Context, p *player, _ struct{}) (int, error) {
	return p.received, nil
})

func runUnits(cfg programs.Config) (result programs.Result, err error) {
	ctx, size := context.Background(), cfg.Values.Get(programs.Size)
	rt := cfg.NewRuntime()
	defer func() {
		if closing := rt.Close(); err == nil {
			err = closing
		}
	}()
	finish := cfg.NewFinish(1)
	ping := freerun.NewUnit(rt, player{finish: finish})
	pong := freerun.NewUnit(rt, player{finish: finish, other: ping})
	if _, err := meet.Send(rt.Context(), ping, pong).Wait(ctx); err != nil {
		return result, err
	}

	meter := cfg.StartMeter()
	if err := hit.Tell(rt.Context(), ping, size-1); err != nil {
		return result, err
	}
	end, err := finish.Wait()
	if err != nil {
		return result, err
	}
	result = meter.StopAt(end, uint64(size))

	first, err := score.Send(rt.Context(), ping, struct{}{}).Wait(ctx)
	if err != nil {
		return result, err
	}
	second, err := score.Send(rt.Context(), pong, struct{}{}).Wait(ctx)
	if err != nil {
		return result, err
	}
	result.Checksum = hops(first, second)
	return result, nil
}
