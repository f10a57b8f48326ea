package linear_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/linear"
)

// TestRecorderOrder holds that the recorder orders two calls correctly: calls that did not overlap
// are not recorded as overlapping, and no call is recorded as ended before another that had begun
// already. Each call notes the true order itself, by a counter that it reads and increments.
func TestRecorderOrder(t *testing.T) {
	const clients, calls = 4, 500
	r := linear.NewRecorder(clients)
	type truth struct{ began, ended int64 } // by the counter
	truths := make([][]truth, clients)
	var counter atomic.Int64
	var group sync.WaitGroup
	for i := range clients {
		group.Go(func() {
			client := r.Client(i)
			for range calls {
				outer := counter.Add(1)
				begin := client.Begin()
				inner := counter.Add(1)
				if inner%7 == 0 {
					runtime.Gosched()
				}
				innerEnd := counter.Add(1)
				client.End(begin, linear.Call{Value: len(truths[i])}, linear.Answer{})
				outerEnd := counter.Add(1)
				truths[i] = append(truths[i], truth{inner, innerEnd}, truth{outer, outerEnd})
			}
		})
	}
	group.Wait()
	history := r.History()
	if len(history) != clients*calls {
		t.Fatalf("%d calls recorded, want %d", len(history), clients*calls)
	}
	for i, a := range history {
		if i > 0 && history[i-1].End >= a.End {
			t.Fatalf("calls %d and %d ended at %d and %d", i-1, i, history[i-1].End, a.End)
		}
		innerA, outerA := truths[a.Client][a.Call.Value], truths[a.Client][a.Call.Value+1]
		for _, b := range history {
			innerB, outerB := truths[b.Client][b.Call.Value], truths[b.Client][b.Call.Value+1]
			if before := a.End < b.Begin; before && innerA.ended > innerB.began {
				t.Fatalf("%v is said to come before %v, but they overlapped", a, b)
			} else if !before && outerA.ended < outerB.began {
				t.Fatalf("%v is said to overlap %v, but came before it", a, b)
			}
		}
	}
}

// TestChecker holds that a remembered result is that of the same history, not of a similar one.
func TestChecker(t *testing.T) {
	right := linear.Sequential(enqueue(1), yes, enqueue(2), yes, dequeue, got(1))
	histories := []linear.History{
		right,
		linear.Sequential(enqueue(1), yes, enqueue(2), yes, dequeue, got(2)),
		linear.Sequential(enqueue(1), yes, enqueue(2), no, dequeue, got(1)),
		linear.Sequential(enqueue(1), yes, dequeue, got(1), dequeue, got(1)),
		linear.Sequential(enqueue(1), yes, push(2), yes, pop, got(1)),
		linear.Sequential(enqueue(1), yes, enqueue(2), yes, steal, lost),
		{at(2, 3, enqueue(1), yes), at(0, 1, enqueue(2), yes), at(4, 5, dequeue, got(1))},
		{at(0, 3, enqueue(1), yes), at(0, 2, enqueue(2), yes), at(4, 5, dequeue, got(2))},
	}
	model := linear.FIFO(linear.Unbounded, linear.Strict)
	checker := linear.NewChecker(model)
	for range 2 {
		for _, h := range histories {
			if got, want := checker.Check(h), linear.Check(model, h); (got == nil) != (want == nil) {
				t.Errorf("allowed %v, want %v; the history:\n%s", got == nil, want == nil, h)
			}
		}
	}
}
