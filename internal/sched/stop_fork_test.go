package sched

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// branch is a task that forks and waits for its child, until the scheduler ends. A parent runs a
// discarded child itself.
type branch struct {
	Task
	crop   *crop
	depth  int
	joined Suspension // ready when the branch was run or discarded
	ran    bool
}

// crop is a set of trees of branches.
type crop struct {
	s      *Scheduler
	leaves atomic.Int32
}

var branchKind *Kind

func init() { // branchKind refers to itself
	branchKind = &Kind{
		Run: func(p *Processor, t *Task) {
			b := (*branch)(unsafe.Pointer(t))
			q := b.grow(p)
			b.ran = true
			b.joined.Ready(q)
		},
		Discard: func(t *Task) { (*branch)(unsafe.Pointer(t)).joined.Ready(nil) },
	}
}

// grow runs the branch in the running task, on p, which may be nil. It returns the processor that
// the task is on then.
func (b *branch) grow(p *Processor) *Processor {
	if b.depth == 0 {
		b.crop.leaves.Add(1)
		return p
	}
	other, own := b.crop.branch(b.depth-1), b.crop.branch(b.depth-1)
	switch {
	case p == nil:
		other.grow(nil)
	case b.depth%2 == 0:
		p.Push(&other.Task)
	default:
		p.PushBack(&other.Task)
	}
	q := own.grow(p)
	if p == nil {
		return nil
	}
	if q == nil { // the scheduler ended meanwhile
		for other.joined.state.Load() != suspensionReady {
			runtime.Gosched()
		}
	} else if q = other.joined.Wait(q); q != nil && b.depth == 3 {
		q.Leave()
		q = nil
	}
	if !other.ran {
		other.grow(nil)
	}
	return q
}

func (c *crop) branch(depth int) *branch {
	return &branch{Task: Task{Kind: branchKind}, crop: c, depth: depth}
}

// TestStopWhileForking has Stop give up at once while trees of tasks fork, wait and leave, each
// round at another moment. A task that has not begun is discarded, once; its waiters go on without
// a processor, and all goroutines end.
func TestStopWhileForking(t *testing.T) {
	const rounds, trees, depth = 150, 3, 7
	for round := range rounds {
		s := New(Config{Processors: 1 + round%3})
		s.Start()
		c := &crop{s: s}
		roots := make([]*branch, trees)
		for i := range roots {
			roots[i] = c.branch(depth)
			s.Inject(&roots[i].Task)
		}
		for range round {
			runtime.Gosched()
		}
		expired := make(chan time.Time)
		close(expired)
		s.Stop(expired)
		await(t, "the end of all hosts", s.exited)
		whole := int32(0)
		for _, root := range roots {
			if root.joined.state.Load() != suspensionReady {
				t.Fatal("a task was neither run nor discarded")
			}
			if root.ran {
				whole++
			}
		}
		if n := c.leaves.Load(); n != whole<<depth {
			t.Fatalf("round %d: %d leaves of %d whole trees, want %d", round, n, whole, whole<<depth)
		}
	}
}
