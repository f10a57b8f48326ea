package rivals

import (
	"context"
	"fmt"

	"github.com/freerun-go/freerun"
)

// receiver is the state of a unit that receives messages.
type receiver struct{ receive func() }

// player is the state of a unit that passes the ball.
type player struct {
	hop   func() bool
	other *freerun.Unit[player]
}

var (
	receiveOp = freerun.Op("receive", freerun.NoResult(func(_ *freerun.Context, r *receiver, _ struct{}) error {
		r.receive()
		return nil
	}))
	taskOp = freerun.FreeOp("task", func(_ *freerun.Context, task func()) (struct{}, error) {
		task()
		return struct{}{}, nil
	})
	meetOp = freerun.Op("meet", freerun.NoResult(func(_ *freerun.Context, p *player, other *freerun.Unit[player]) error {
		p.other = other
		return nil
	}))
	hopOp = freerun.Op[player, struct{}, struct{}]("hop", nil)
)

var _ = freerun.Define(hopOp, freerun.NoResult(func(c *freerun.Context, p *player, _ struct{}) error {
	if p.hop() {
		return hopOp.Tell(c, p.other, struct{}{})
	}
	return nil
}))

// must panics on an error that cannot occur here.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("rivals: %v", err))
	}
}

// FreerunEntity is a [contest.Entity]: one unit.
func FreerunEntity(receive func()) (send, stop func()) {
	rt := freerun.New()
	unit, outside := freerun.NewUnit(rt, receiver{receive}), rt.Context()
	return func() { must(receiveOp.Tell(outside, unit, struct{}{})) }, func() { must(rt.Close()) }
}

// FreerunPair is a [contest.Pair]: two units.
func FreerunPair(hop func() bool) (serve, stop func()) {
	rt := freerun.New()
	ping := freerun.NewUnit(rt, player{hop: hop})
	pong := freerun.NewUnit(rt, player{hop: hop, other: ping})
	_, err := meetOp.Send(rt.Context(), ping, pong).Wait(context.Background())
	must(err)
	return func() { must(hopOp.Tell(rt.Context(), ping, struct{}{})) }, func() { must(rt.Close()) }
}

// FreerunPool is a [contest.Pool]: a free operation for every task.
func FreerunPool() (submit func(func()), wait, stop func()) {
	rt := freerun.New()
	outside := rt.Context()
	return func(task func()) { must(taskOp.Tell(outside, task)) },
		func() { must(rt.Quiesce(context.Background())) },
		func() { must(rt.Close()) }
}
