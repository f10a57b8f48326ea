package trees

import (
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestVariants(t *testing.T) {
	for _, v := range []programs.Values{
		{programs.Size: 4, paramTasks: 0, paramCollectors: 2},
		{programs.Size: 7, paramTasks: 1, paramCollectors: 2},
		{programs.Size: 10, paramTasks: 3, paramCollectors: 0},
		{programs.Size: 8, paramTasks: 100, paramCollectors: 5},
	} {
		for name, r := range programtest.Run(t, Program, v) {
			if want := newPlan(v, 1).operations(); r.Operations != want {
				t.Errorf("%s with %v: %d nodes, want %d", name, v, r.Operations, want)
			}
		}
	}
}

// TestPlan checks the plan of a size that can be counted by hand.
func TestPlan(t *testing.T) {
	p := newPlan(programs.Values{programs.Size: 6, paramTasks: 0, paramCollectors: 2}, 5)
	// a tree of depth 7, one of depth 6; 64 of depth 4 and 16 of depth 6
	if p.tasks != 5 || p.due() != "255 4016 127" || p.operations() != 255+4016+127 {
		t.Errorf("%+v: due %s, %d operations", p, p.due(), p.operations())
	}
}

// TestTreesAreAsTall: every path in a tree on Go's heap has the tree's depth.
func TestTreesAreAsTall(t *testing.T) {
	var height func(n *node) (least, most int)
	height = func(n *node) (least, most int) {
		if n.left == nil || n.right == nil {
			return 0, 0
		}
		a, b := height(n.left)
		c, d := height(n.right)
		return 1 + min(a, c), 1 + max(b, d)
	}
	for depth := range 8 {
		tree := grown(depth)
		if least, most := height(tree); least != depth || most != depth || tree.count() != nodes(depth) {
			t.Errorf("depth %d: from %d to %d, %d nodes", depth, least, most, tree.count())
		}
	}
}

// faulty is a forest in which a tree loses a node, or which fails after a number of trees.
type faulty struct {
	heap
	loses bool
	left  *int
}

var errBarren = errors.New("barren")

func (f faulty) passing(depth int) (uint64, error) {
	if *f.left--; *f.left < 0 {
		return 0, errBarren
	}
	n, err := f.heap.passing(depth)
	if f.loses && *f.left == 0 {
		n--
	}
	return n, err
}

// TestFaultyForests: a lost node is a wrong result, and a forest's failure is the run's.
func TestFaultyForests(t *testing.T) {
	variant := func(f forest) programs.Variant {
		return programs.Variant{Name: "faulty", Run: func(cfg programs.Config) (programs.Result, error) {
			return newPlan(cfg.Values, 1).run([]forest{f})
		}}
	}
	cfg := programs.Config{Processors: 1, Values: programs.Values{programs.Size: 6, paramTasks: 1, paramCollectors: 2}}
	trees := 1 + 64 + 16
	var wrong *programs.WrongResultError
	for at := 1; at <= trees; at += 20 {
		left := at
		if _, err := Program.Run(variant(faulty{left: &left}), cfg); !errors.Is(err, errBarren) && at < trees {
			t.Errorf("no tree after %d: error %v", at, err)
		}
	}
	left := trees
	if _, err := Program.Run(variant(faulty{loses: true, left: &left}), cfg); !errors.As(err, &wrong) {
		t.Errorf("a node is lost: error %v", err)
	}
}
