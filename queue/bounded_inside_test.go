package queue

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/internal/sync/rolecheck"
	"github.com/freerun-go/freerun/internal/verify/replay"
)

// boundedQueue is the interface that the four bounded queues have in common.
type boundedQueue[T any] interface {
	TryEnqueue(v T) bool
	TryDequeue() (v T, ok bool)
	EnqueueN(vs []T) int
	DequeueN(dst []T) int
	Drain(f func(T) bool)
	Len() int
	Cap() int
}

// startingAt returns one queue of each type, whose first item is at position start.
func startingAt[T any](capacity int, start uint64) map[string]boundedQueue[T] {
	return map[string]boundedQueue[T]{
		"SPSC": newSPSC[T](capacity, start),
		"MPSC": newMPSC[T](capacity, start),
		"SPMC": newSPMC[T](capacity, start),
		"MPMC": newMPMC[T](capacity, start),
	}
}

// panicOf returns what f panics with, or "".
func panicOf(f func()) (text string) {
	defer func() {
		if p := recover(); p != nil {
			text, _ = p.(string)
			if text == "" {
				text = "not a text"
			}
		}
	}()
	f()
	return ""
}

// TestBoundedStartAnywhere makes random calls, batches among them, while positions pass the values
// at which they, or words that count by two, change sign or overflow. One goroutine; the model is a
// slice.
func TestBoundedStartAnywhere(t *testing.T) {
	seed := replay.Seed(t)
	for _, start := range []uint64{0, 1<<62 - 20, 1<<63 - 20, 3<<62 - 20, 1<<64 - 20} {
		for _, capacity := range []int{1, 2, 3, 8} {
			for name, q := range startingAt[int](capacity, start) {
				random := rand.New(rand.NewPCG(seed, start))
				var model []int
				next := 0
				for call := range 400 {
					buffer := make([]int, random.IntN(q.Cap()+2))
					switch random.IntN(4) {
					case 0:
						if ok := q.TryEnqueue(next); ok != (len(model) < q.Cap()) {
							t.Fatalf("%s for %d from %d, call %d: TryEnqueue = %v with %d items", name, q.Cap(), start, call, ok, len(model))
						} else if ok {
							model = append(model, next)
							next++
						}
					case 1:
						v, ok := q.TryDequeue()
						if ok != (len(model) > 0) || ok && v != model[0] {
							t.Fatalf("%s for %d from %d, call %d: TryDequeue = %d, %v of %v", name, q.Cap(), start, call, v, ok, model)
						} else if ok {
							model = model[1:]
						}
					case 2:
						for i := range buffer {
							buffer[i] = next + i
						}
						n := q.EnqueueN(buffer)
						if n != min(len(buffer), q.Cap()-len(model)) {
							t.Fatalf("%s for %d from %d, call %d: EnqueueN of %d = %d with %d items", name, q.Cap(), start, call, len(buffer), n, len(model))
						}
						model = append(model, buffer[:n]...)
						next += n
					case 3:
						n := q.DequeueN(buffer)
						if n != min(len(buffer), len(model)) || !slices.Equal(buffer[:n], model[:n]) {
							t.Fatalf("%s for %d from %d, call %d: DequeueN(%d) = %v of %v", name, q.Cap(), start, call, len(buffer), buffer[:n], model)
						}
						model = model[n:]
					}
					if q.Len() != len(model) {
						t.Fatalf("%s for %d from %d, call %d: Len = %d, want %d", name, q.Cap(), start, call, q.Len(), len(model))
					}
				}
			}
		}
	}
}

// TestBoundedDrain holds that Drain stops where it is told to, otherwise goes on until the queue is
// empty, and lets f use the queue.
func TestBoundedDrain(t *testing.T) {
	for name, q := range startingAt[int](8, 0) {
		q.EnqueueN([]int{0, 1, 2, 3, 4})
		var got []int
		for v := range q.Drain {
			got = append(got, v)
			if v == 1 {
				break
			}
		}
		if !slices.Equal(got, []int{0, 1}) || q.Len() != 3 {
			t.Errorf("%s: drained %v and left %d", name, got, q.Len())
		}
		q.Drain(func(v int) bool {
			got = append(got, v)
			return v != 2 || q.TryEnqueue(5)
		})
		if !slices.Equal(got, []int{0, 1, 2, 3, 4, 5}) || q.Len() != 0 {
			t.Errorf("%s: drained %v and left %d", name, got, q.Len())
		}
	}
}

// TestBoundedKeepsNothing looks into the slots after items have been taken out in all ways.
func TestBoundedKeepsNothing(t *testing.T) {
	for name, q := range startingAt[*int](4, 0) {
		for lap := range 3 {
			q.EnqueueN([]*int{new(int), new(int), new(int), new(int)})
			q.TryDequeue()
			q.DequeueN(make([]*int, 2))
			q.Drain(func(*int) bool { return true })
			for i := range 4 {
				var kept *int
				switch q := q.(type) {
				case *SPSC[*int]:
					kept = q.ring.at(uint64(i)).value.Get()
				case *MPSC[*int]:
					kept = q.ring.at(uint64(i)).value.Get()
				case *SPMC[*int]:
					kept = q.ring.at(uint64(i)).value.Get()
				case *MPMC[*int]:
					kept = q.ring.at(uint64(i)).value.Get()
				}
				if kept != nil {
					t.Errorf("%s: slot %d keeps its item in lap %d", name, i, lap)
				}
			}
		}
	}
}

// TestBoundedZeroValue holds that a call of the zero value panics with a text that says so.
func TestBoundedZeroValue(t *testing.T) {
	for name, q := range map[string]boundedQueue[int]{
		"SPSC": &SPSC[int]{}, "MPSC": &MPSC[int]{}, "SPMC": &SPMC[int]{}, "MPMC": &MPMC[int]{},
	} {
		for call, f := range map[string]func(){
			"TryEnqueue": func() { q.TryEnqueue(1) },
			"TryDequeue": func() { q.TryDequeue() },
			"EnqueueN":   func() { q.EnqueueN(make([]int, 2)) },
			"DequeueN":   func() { q.DequeueN(make([]int, 2)) },
		} {
			if rolecheck.Checked && call != "TryEnqueue" && call != "TryDequeue" {
				continue // the call before panicked within its side, and has not left
			}
			if text := panicOf(f); !strings.HasPrefix(text, "queue: ") || !strings.Contains(text, "New") {
				t.Errorf("%s of a zero %s panics with %q", call, name, text)
			}
		}
		if q.Len() != 0 || q.Cap() != 0 {
			t.Errorf("a zero %s has length %d and capacity %d", name, q.Len(), q.Cap())
		}
	}
}

// TestBoundedCapacity holds which capacities are refused.
func TestBoundedCapacity(t *testing.T) {
	for _, capacity := range []int{0, -1, int(^uint(0) >> 1)} {
		for name, f := range map[string]func(){
			"NewSPSC": func() { NewSPSC[int](capacity) },
			"NewMPSC": func() { NewMPSC[int](capacity) },
			"NewSPMC": func() { NewSPMC[int](capacity) },
			"NewMPMC": func() { NewMPMC[int](capacity) },
		} {
			if text := panicOf(f); !strings.HasPrefix(text, "queue: "+name+" ") {
				t.Errorf("%s(%d) panics with %q", name, capacity, text)
			}
		}
	}
}

// TestBoundedSides makes calls on a side during another call on it that never ends. A build that
// checks refuses them with a text that names both calls, and the queue stays as it was. Other
// builds do not check.
func TestBoundedSides(t *testing.T) {
	for _, c := range []struct {
		name  string
		queue func() (q boundedQueue[int], enqueuers, dequeuers *side)
	}{
		{"SPSC", func() (boundedQueue[int], *side, *side) { q := NewSPSC[int](4); return q, &q.producer, &q.consumer }},
		{"MPSC", func() (boundedQueue[int], *side, *side) { q := NewMPSC[int](4); return q, nil, &q.consumer }},
		{"SPMC", func() (boundedQueue[int], *side, *side) { q := NewSPMC[int](4); return q, &q.producer, nil }},
		{"MPMC", func() (boundedQueue[int], *side, *side) { return NewMPMC[int](4), nil, nil }},
	} {
		q, enqueuers, dequeuers := c.queue()
		q.EnqueueN([]int{1, 2})
		for _, s := range []*side{enqueuers, dequeuers} {
			if s != nil {
				s.enter("queue: a call that is under way")
			}
		}
		for call, x := range map[string]struct {
			f    func()
			side *side
		}{
			"TryEnqueue": {func() { q.TryEnqueue(3) }, enqueuers},
			"EnqueueN":   {func() { q.EnqueueN([]int{4}) }, enqueuers},
			"TryDequeue": {func() { q.TryDequeue() }, dequeuers},
			"DequeueN":   {func() { q.DequeueN(make([]int, 1)) }, dequeuers},
			"Drain":      {func() { q.Drain(func(int) bool { return false }) }, dequeuers},
		} {
			text, refuses := panicOf(x.f), rolecheck.Checked && x.side != nil
			if refuses != (text != "") || refuses && (!strings.HasPrefix(text, "queue: ") || !strings.Contains(text, c.name) ||
				!strings.Contains(text, "(queue: a call that is under way)")) {
				t.Errorf("%s of an %s while another one is under way: panics with %q", call, c.name, text)
			}
		}
		if rolecheck.Checked && c.name == "SPSC" && q.Len() != 2 {
			t.Errorf("the refused calls left %d items, want 2", q.Len())
		}
	}
}
