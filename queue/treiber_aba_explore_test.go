//go:build explore

package queue_test

import (
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
	"github.com/freerun-go/freerun/queue"
)

// reusingStack is Treiber's stack of nodes that are pushed again after they were popped, with
// nothing to protect a call that has seen them before.
type reusingStack struct {
	top atomics.Pointer[reusedNode]
}

type reusedNode struct {
	next atomics.Pointer[reusedNode]
	name string
}

func (s *reusingStack) push(n *reusedNode) {
	for {
		below := s.top.Load()
		n.next.Store(below)
		if s.top.CompareAndSwap(below, n) {
			return
		}
	}
}

func (s *reusingStack) pop() *reusedNode {
	for {
		n := s.top.Load()
		if n == nil || s.top.CompareAndSwap(n, n.next.Load()) {
			return n
		}
	}
}

// abaStory is the lecture's: X is about to pop A, above C, when Y pops A, pushes B, and pushes A
// again. If X then succeeds, with what it had read before, B is lost. push and pop are a stack's;
// afterwards each name must come out once.
func abaStory[N any](push func(N), pop func() (N, bool), a, b, c N, name func(N) string) func(r *explore.Run) {
	return func(r *explore.Run) {
		push(c)
		push(a)
		var out []string
		r.Go("X", func() {
			if n, ok := pop(); ok {
				out = append(out, name(n))
			}
		})
		r.Go("Y", func() {
			n, ok := pop()
			push(b)
			if ok {
				push(n)
			}
		})
		r.After(func() {
			for n, ok := pop(); ok && len(out) < 10; n, ok = pop() {
				out = append(out, name(n))
			}
			count := map[string]int{}
			for _, name := range out {
				count[name]++
			}
			if len(out) != 3 || len(count) != 3 {
				r.Failf("A, B and C were pushed, and %v came out", out)
			}
		})
	}
}

// TestExploreStackReuseABA tells the story to a stack that reuses its nodes.
func TestExploreStackReuseABA(t *testing.T) {
	explore.MustFail(t, 2, func(r *explore.Run) {
		var s reusingStack
		pop := func() (*reusedNode, bool) {
			n := s.pop()
			return n, n != nil
		}
		name := func(n *reusedNode) string { return n.name }
		abaStory(s.push, pop, &reusedNode{name: "A"}, &reusedNode{name: "B"}, &reusedNode{name: "C"}, name)(r)
	})
}

// TestExploreStackABA tells it to Stack, whose nodes are pushed once.
func TestExploreStackABA(t *testing.T) {
	explore.Exhaustive(t, explore.Unbounded, func(r *explore.Run) {
		var s queue.Stack[string]
		abaStory(s.Push, s.TryPop, "A", "B", "C", func(name string) string { return name })(r)
	})
}

// TestExploreStackFreeze stops each of three threads for good, wherever it is.
func TestExploreStackFreeze(t *testing.T) {
	explore.Freeze(t, func(r *explore.Run) {
		var s queue.Stack[int]
		s.Push(1)
		r.Go("pusher", func() {
			s.Push(2)
			s.Push(3)
		})
		r.Go("popper", func() {
			s.TryPop()
			s.TryPop()
		})
		r.Go("taker", func() {
			for range s.TakeAll() {
			}
			s.TryPop()
		})
	})
}
