package ending

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
)

// group is an owner with a context and a count of its ends.
type group struct {
	Node
	ctx    context.Context
	cancel context.CancelFunc
	ends   atomic.Int32
	ended  chan struct{}
	once   sync.Once
}

func newGroup(ctx context.Context, above *group) *group {
	g := &group{ended: make(chan struct{})}
	g.ctx, g.cancel = context.WithCancel(ctx)
	if above == nil {
		g.Enroll(g, nil)
	} else {
		g.Enroll(g, &above.Node)
	}
	return g
}

func (g *group) Watch(f func()) (stop func() bool) { return context.AfterFunc(g.ctx, f) }

func (g *group) End() {
	g.ends.Add(1)
	g.once.Do(func() { close(g.ended) })
}

// TestNodeCanceler: when EndAll returns, the groups below have ended, and no watch ends them again.
func TestNodeCanceler(t *testing.T) {
	above := newGroup(t.Context(), nil)
	below := newGroup(above.ctx, above)
	leaf := newGroup(below.ctx, below)
	beside := newGroup(above.ctx, above)
	if !above.Enrolled() || !leaf.Enrolled() {
		t.Error("not enrolled")
	}
	below.Unwatch()
	below.cancel()
	below.EndAll(below)
	if above.ends.Load() != 0 || below.ends.Load() != 1 || leaf.ends.Load() != 1 || beside.ends.Load() != 0 {
		t.Errorf("ended %d, %d, %d, %d times", above.ends.Load(), below.ends.Load(), leaf.ends.Load(), beside.ends.Load())
	}
	above.Unwatch()
	above.cancel()
	above.EndAll(above)
	if above.ends.Load() != 1 || below.ends.Load() != 1 || leaf.ends.Load() != 1 || beside.ends.Load() != 1 {
		t.Errorf("ended %d, %d, %d, %d times", above.ends.Load(), below.ends.Load(), leaf.ends.Load(), beside.ends.Load())
	}
}

// TestNodeWatch: a context that ends by itself ends all groups below.
func TestNodeWatch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	above := newGroup(ctx, nil)
	below := newGroup(above.ctx, above)
	cancel()
	<-above.ended
	<-below.ended
	below.EndAll(below) // waits for the watch
	above.EndAll(above)
	above.below.each(func(*Node) { t.Error("a group that has ended is kept") })
}

// TestNodeNotEnrolled: a group that has not enrolled ends, too.
func TestNodeNotEnrolled(t *testing.T) {
	g := &group{ended: make(chan struct{})}
	if g.Enrolled() {
		t.Error("enrolled")
	}
	g.Unwatch()
	g.EndAll(g)
	if g.ends.Load() != 1 {
		t.Errorf("ended %d times", g.ends.Load())
	}
}

// TestNodeEndsAllBelow: EndAll ends all groups below, also if no context of theirs ends.
func TestNodeEndsAllBelow(t *testing.T) {
	above := newGroup(t.Context(), nil)
	var below []*group
	for range 3 {
		below = append(below, newGroup(context.WithoutCancel(t.Context()), above))
	}
	above.Unwatch()
	above.cancel()
	above.EndAll(above)
	for i, g := range below {
		if n := g.ends.Load(); n != 1 {
			t.Errorf("group %d has ended %d times", i, n)
		}
	}
}
