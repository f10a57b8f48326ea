package tokenring

import (
	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/programs"
)

// player is the state of a unit.
type player struct {
	*game
	seat   int
	ring   []*freerun.Unit[player]
	finish *programs.Finish
}

// pass hands the token to a player. It sends itself.
var pass = freerun.Op[player, token, struct{}]("pass", nil)

var _ = freerun.Define(pass, freerun.NoResult(func(c *freerun.Context, p *player, t token) error {
	if !p.play(p.seat, &t) {
		p.finish.Reached()
		return nil
	}
	err := pass.Tell(c, p.ring[p.next(p.seat)], t)
	if err != nil {
		p.finish.Fail(err)
	}
	return err
}))

func runUnits(cfg programs.Config) (programs.Result, error) {
	return programs.OnRuntime(cfg, func(rt *freerun.Runtime) (result programs.Result, err error) {
		g, finish := newGame(cfg.Values), cfg.NewFinish(1)
		meter := cfg.StartMeter()
		ring := make([]*freerun.Unit[player], g.players)
		for i := range ring {
			ring[i] = freerun.NewUnit(rt, player{game: g, seat: i, ring: ring, finish: finish})
		}
		if err := pass.Tell(rt.Context(), ring[0], token{}); err != nil {
			return result, err
		}
		end, err := finish.Wait()
		result = meter.StopAt(end, g.operations())
		result.Checksum = g.checksum()
		return result, err
	})
}
