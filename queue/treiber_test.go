package queue_test

import (
	"slices"
	"sync"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
	"github.com/freerun-go/freerun/queue"
)

func newStack[T any]() conformance.PushPopper[T] { return new(queue.Stack[T]) }

// stack has the promises of Stack.
var stack = conformance.StackSpec{New: newStack[int], NewWide: newStack[conformance.Wide], NewBoxed: newStack[*conformance.Box]}

func TestStack(t *testing.T) { conformance.Stack(t, stack) }

func FuzzStack(f *testing.F) { conformance.FuzzStack(f, stack) }

// TestStackTakeAll takes the contents, in the order of popping, and leaves an empty stack that can
// be used on.
func TestStackTakeAll(t *testing.T) {
	var s queue.Stack[int]
	for v := range s.TakeAll() {
		t.Fatalf("the empty stack had %d", v)
	}
	for v := range 10 {
		s.Push(v)
	}
	taken := s.TakeAll()
	if !s.Empty() || s.Len() != 0 {
		t.Errorf("%d values are left", s.Len())
	}
	s.Push(100)
	if got, want := slices.Collect(taken), []int{9, 8, 7, 6, 5, 4, 3, 2, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("took %v, want %v", got, want)
	}
	if v, ok := s.TryPop(); !ok || v != 100 {
		t.Errorf("popped %d, %v; want 100", v, ok)
	}
}

// TestStackTakeAllGoesOn ends a loop early: the sequence keeps the rest.
func TestStackTakeAllGoesOn(t *testing.T) {
	var s queue.Stack[int]
	for v := range 6 {
		s.Push(v)
	}
	taken := s.TakeAll()
	for v := range taken {
		if v == 3 {
			break
		}
	}
	if got, want := slices.Collect(taken), []int{2, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("the second loop had %v, want %v", got, want)
	}
	if got := slices.Collect(taken); len(got) != 0 {
		t.Errorf("the third loop had %v", got)
	}
}

// TestStackTakeAllWhilePushing has some goroutines push and others take all, or one: every value
// comes out once.
func TestStackTakeAllWhilePushing(t *testing.T) {
	const pushers, each = 4, 5000
	var s queue.Stack[int]
	var pushing, taking sync.WaitGroup
	done := make(chan struct{})
	for pusher := range pushers {
		pushing.Go(func() {
			for v := range each {
				s.Push(pusher*each + v)
			}
		})
	}
	got := make([][]int, 4)
	for taker := range got {
		taking.Go(func() {
			for last := false; ; {
				if taker%2 == 0 {
					got[taker] = slices.AppendSeq(got[taker], s.TakeAll())
				} else if v, ok := s.TryPop(); ok {
					got[taker] = append(got[taker], v)
				}
				if last && s.Empty() {
					return
				}
				select {
				case <-done:
					last = true
				default:
				}
			}
		})
	}
	pushing.Wait()
	close(done)
	taking.Wait()
	all := slices.Concat(got...)
	slices.Sort(all)
	for i, v := range all {
		if i != v {
			t.Fatalf("value %d was taken more than once, or not at all", min(i, v))
		}
	}
	if len(all) != pushers*each {
		t.Errorf("%d values were taken, %d pushed", len(all), pushers*each)
	}
}
