package skynet

import (
	"context"
	"strconv"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/programs"
)

// answers are those of a node's children, as many as there are. The operation that gets them starts when it has them all.
type answers struct {
	of [degree]freerun.Future[int64]
	n  int
}

// node sends itself, so it is made in init: as an initialised variable it would refer to itself.
var node *freerun.FreeOperation[span, int64]

var add = freerun.FreeOp("programs/skynet.add", func(_ *freerun.Context, a answers) (sum int64, err error) {
	for _, f := range a.of[:a.n] {
		sum += f.Value()
	}
	return sum, nil
})

func init() {
	node = freerun.FreeOp("programs/skynet.node", func(c *freerun.Context, s span) (int64, error) {
		if s.leaves == 1 {
			return int64(s.first), nil
		}
		a := answers{n: s.children()}
		for i := range a.n {
			a.of[i] = node.Send(c, s.child(i))
		}
		return freerun.Forward(c, add.Send(c, a))
	})
}

func runFutures(cfg programs.Config) (programs.Result, error) {
	size := cfg.Values.Get(programs.Size)
	rt := freerun.New(freerun.Processors(cfg.Processors))
	defer rt.Close()
	meter := programs.StartMeter()
	sum, err := node.Send(rt.Context(), span{leaves: int32(size)}).Wait(context.Background())
	r := meter.Stop(uint64(size))
	if err != nil {
		return r, err
	}
	r.Checksum = strconv.FormatInt(sum, 10)
	r.Figures = []programs.Figure{programs.MessagesPerProcessor(rt), programs.Steals(rt)}
	return r, nil
}
