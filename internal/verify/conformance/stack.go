package conformance

import (
	"testing"
)

// A PushPopper is a stack as the ladder calls it. The ladder also calls Len if the stack has it.
type PushPopper[T any] interface {
	Push(v T)
	TryPop() (v T, ok bool)
}

// A StackSpec describes the promises of an unbounded stack: last in, first out, for any number of
// goroutines.
type StackSpec struct {
	New      func() PushPopper[int]
	NewWide  func() PushPopper[Wide]
	NewBoxed func() PushPopper[*Box]

	// NotLockFree means that a stopped thread may hold the others up. The explorer must then find a
	// thread that does.
	NotLockFree bool

	// Long means that a call takes many steps. The explorer then bounds the preemptions of two
	// threads too.
	Long bool
}

// Stack runs the ladder of tests on a stack: the rungs of a queue whose order is [LIFO].
func Stack(t *testing.T, s StackSpec) {
	t.Helper()
	Queue(t, s.queue(t))
}

// FuzzStack compares a stack with the reference, for calls that the fuzzer chooses.
func FuzzStack(f *testing.F, s StackSpec) {
	f.Helper()
	FuzzQueue(f, s.queue(f))
}

// queue returns the spec for the stack's adapter.
func (s StackSpec) queue(t testing.TB) QueueSpec {
	t.Helper()
	if s.New == nil || s.NewWide == nil || s.NewBoxed == nil {
		t.Fatal("ladder: a StackSpec needs New, NewWide and NewBoxed")
	}
	return QueueSpec{
		New:         func(int) Total[int] { return asQueue(s.New()) },
		NewWide:     func(int) Total[Wide] { return asQueue(s.NewWide()) },
		NewBoxed:    func(int) Total[*Box] { return asQueue(s.NewBoxed()) },
		Order:       LIFO,
		NotLockFree: s.NotLockFree,
		Long:        s.Long,
	}
}

// stackQueue lets a stack be called as a queue.
type stackQueue[T any] struct{ PushPopper[T] }

func (s stackQueue[T]) TryEnqueue(v T) bool {
	s.Push(v)
	return true
}

func (s stackQueue[T]) TryDequeue() (T, bool) { return s.TryPop() }

// measuredStack is a stackQueue that knows its length.
type measuredStack[T any] struct {
	stackQueue[T]
	length interface{ Len() int }
}

func (s measuredStack[T]) Len() int { return s.length.Len() }

func asQueue[T any](s PushPopper[T]) Total[T] {
	if length, can := s.(interface{ Len() int }); can {
		return measuredStack[T]{stackQueue[T]{s}, length}
	}
	return stackQueue[T]{s}
}
