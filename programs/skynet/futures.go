package skynet

import (
	"context"
	"strconv"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/programs"
)

// answers are the answers of a node's children. The operation that takes them starts when all are
// there.
type answers struct {
	of [degree]freerun.Future[int64]
	n  int
}

// tree is the two operations of the program.
type tree struct {
	node *freerun.FreeOperation[span, int64]
	add  *freerun.FreeOperation[answers, int64]
}

var (
	queued = tree{freerun.FreeOp[span, int64]("node", nil), freerun.FreeOp("add", sum)}
	small  = tree{freerun.SmallOp[span, int64]("small.node", nil), freerun.SmallOp("small.add", sum)}
)

// A node sends itself.
var _, _ = freerun.Define(queued.node, queued.visit), freerun.Define(small.node, small.visit)

// visit is the body of a node.
func (t *tree) visit(c *freerun.Context, s span) (int64, error) {
	if s.leaves == 1 {
		return int64(s.first), nil
	}
	a := answers{n: s.children()}
	for i := range a.n {
		a.of[i] = t.node.Send(c, s.child(i))
	}
	return freerun.Forward(c, t.add.Send(c, a))
}

func sum(_ *freerun.Context, a answers) (sum int64, err error) {
	for _, f := range a.of[:a.n] {
		sum += f.Value()
	}
	return sum, nil
}

func runFutures(cfg programs.Config) (programs.Result, error) { return queued.run(cfg) }

func runLazy(cfg programs.Config) (programs.Result, error) { return small.run(cfg) }

func (t *tree) run(cfg programs.Config) (programs.Result, error) {
	size := cfg.Values.Get(programs.Size)
	rt := cfg.NewRuntime()
	defer rt.Close()
	meter := cfg.StartMeter()
	sum, err := t.node.Send(rt.Context(), span{leaves: int32(size)}).Wait(context.Background())
	r := meter.Stop(uint64(size))
	if err != nil {
		return r, err
	}
	r.Checksum = strconv.FormatInt(sum, 10)
	r.Figures = []programs.Figure{programs.MessagesPerProcessor(rt), programs.Steals(rt)}
	return r, nil
}
