package queue

import (
	"testing"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sys/pad"
)

// newScqRing returns a ring without indices.
func newScqRing(capacity int, start uint64) *scqRing {
	r := &scqRing{}
	r.init(capacity, start, 0)
	return r
}

// mustTake dequeues and fails the test unless the index is want.
func (r *scqRing) mustTake(t *testing.T, want uint64) {
	t.Helper()
	if i, ok := r.dequeue(); !ok || i != want {
		t.Fatalf("dequeue gave %d, %v; want %d", i, ok, want)
	}
}

// mustBeEmpty dequeues and expects nothing.
func (r *scqRing) mustBeEmpty(t *testing.T) {
	t.Helper()
	if i, ok := r.dequeue(); ok {
		t.Fatalf("dequeue gave %d from an empty ring", i)
	}
}

// TestScqPlaces holds that a lap uses each slot once, and that in a large ring neighbours lie on
// different lines.
func TestScqPlaces(t *testing.T) {
	for capacity := 1; capacity <= 1<<12; capacity *= 2 {
		r := newScqRing(capacity, 0)
		laps := uint64(2 * capacity)
		seen := make(map[any]bool)
		for p := range laps {
			seen[r.slot(p)] = true
			if r.slot(p) != r.slot(p+laps) {
				t.Fatalf("capacity %d: position %d has another slot a lap later", capacity, p)
			}
			apart := int64(uintptr(unsafe.Pointer(r.slot(p+1))) - uintptr(unsafe.Pointer(r.slot(p))))
			if capacity >= 2*wordsPerLine && -pad.Size < apart && apart < pad.Size {
				t.Errorf("capacity %d: the slots of %d and %d are %d bytes apart", capacity, p, p+1, apart)
			}
		}
		if len(seen) != 2*capacity {
			t.Errorf("capacity %d: %d slots are used by %d positions", capacity, len(seen), laps)
		}
	}
}

// starts are positions to begin at: the first one, and some from which laps and positions wrap
// around within a few hundred.
var starts = []uint64{0, 1<<63 - 256, 1<<64 - 256}

// TestScqWrapsAround fills and empties rings over the positions where words and positions come back
// to 0.
func TestScqWrapsAround(t *testing.T) {
	for _, start := range starts {
		for _, capacity := range []int{1, 2, 4, 32} {
			r := newScqRing(capacity, start)
			for round := range 1000 {
				n := uint64(round%capacity + 1)
				for i := range n {
					r.enqueue(i)
				}
				if got := r.len(); got != int(n) {
					t.Fatalf("start %#x, capacity %d, round %d: length %d, want %d", start, capacity, round, got, n)
				}
				for i := range n {
					r.mustTake(t, i)
				}
				r.mustBeEmpty(t)
			}
		}
	}
}

// TestScqLateEnqueuer has a dequeuer come to a position before its enqueuer: the enqueuer must not
// put its index there.
func TestScqLateEnqueuer(t *testing.T) {
	for _, start := range starts {
		r := newScqRing(1, start)
		if _, ok := r.take(r.head.Add(1) - 1); ok {
			t.Fatal("an index in a ring without any")
		}
		r.enqueue(0) // at the position that was passed, and then at the next
		if h, n := r.head.Load(), r.tail.Load()-r.head.Load(); n != 1 {
			t.Errorf("start %#x: tail is %d after head %#x, want 1", start, n, h)
		}
		r.mustTake(t, 0)
		r.mustBeEmpty(t)
	}
}

// TestScqHeldSlot stops a dequeuer that was given a position and has not taken the index yet, until
// a lap later. The slot is passed by, and is not used for the position of the dequeuer that has
// found it held, even if it is open by then.
func TestScqHeldSlot(t *testing.T) {
	for _, start := range starts {
		r := newScqRing(2, start)
		r.enqueue(0)
		stopped := r.head.Add(1) - 1
		for range 3 { // the rest of the lap
			r.enqueue(1)
			r.mustTake(t, 1)
		}
		if p := r.tail.Load(); r.slot(p) != r.slot(stopped) {
			t.Fatalf("tail is at %#x, which is not a lap after %#x", p, stopped)
		}
		passed := r.head.Add(1) - 1
		if _, ok := r.take(passed); ok {
			t.Fatal("an index a lap too late")
		}
		if w := r.slot(passed).Load(); r.layout.find(w, passed) != scqHeld {
			t.Errorf("start %#x: the dequeuer that passed left %#x, want it held", start, w)
		}
		if i, ok := r.take(stopped); !ok || i != 0 {
			t.Errorf("start %#x: the stopped dequeuer gets %d, %v; want 0", start, i, ok)
		}
		r.enqueue(0) // not at passed, although its slot is open
		if w := r.slot(passed).Load(); r.layout.find(w, passed) != scqOpen {
			t.Errorf("start %#x: the slot was used for a position that no dequeuer looks at: %#x", start, w)
		}
		r.mustTake(t, 0)
		r.mustBeEmpty(t)
		for range 10 { // the slot is used again
			r.enqueue(1)
			r.mustTake(t, 1)
		}
		if w := r.slot(passed).Load(); int64(r.layout.lap(w)-r.layout.lap(passed)) <= 0 {
			t.Errorf("start %#x: the slot was not used again: %#x", start, w)
		}
	}
}

// TestScqManyLateDequeuers has more dequeuers than the ring has places come too early, and go on
// only after an index was put in: however many they are, they must not make later ones overlook it.
func TestScqManyLateDequeuers(t *testing.T) {
	r := newScqRing(1, 0)
	var late []uint64
	for range 10 {
		late = append(late, r.head.Add(1)-1)
	}
	for _, p := range late[1:] {
		if _, ok := r.take(p); ok {
			t.Fatal("an index in a ring without any")
		}
	}
	r.enqueue(0)
	if _, ok := r.take(late[0]); !ok {
		r.mustTake(t, 0)
	}
	r.mustBeEmpty(t)
}

// TestScqEmptyWritesNothing looks into an empty ring many times: that moves neither head nor tail,
// so it costs enqueuers nothing.
func TestScqEmptyWritesNothing(t *testing.T) {
	for _, capacity := range []int{1, 2, 256} {
		r := newScqRing(capacity, 0)
		for i := range uint64(capacity) {
			r.enqueue(i)
		}
		for i := range uint64(capacity) {
			r.mustTake(t, i)
		}
		h, tail, limit := r.head.Load(), r.tail.Load(), r.limit.Load()
		for range 100 {
			r.mustBeEmpty(t)
		}
		if r.head.Load() != h || r.tail.Load() != tail || r.limit.Load() != limit {
			t.Errorf("capacity %d: head, tail and limit were %d, %d, %d and are %d, %d, %d",
				capacity, h, tail, limit, r.head.Load(), r.tail.Load(), r.limit.Load())
		}
	}
}

// TestScqGivesUp has many enqueuers take a position and stop. A dequeuer must not go through all
// these positions, because enqueuers and dequeuers could then chase each other for ever: it knows
// that no index was put there.
func TestScqGivesUp(t *testing.T) {
	for _, capacity := range []int{1, 2, 256} {
		r := newScqRing(capacity, 0)
		r.enqueue(0)
		r.mustTake(t, 0)
		r.tail.Add(10_000)
		h := r.head.Load()
		for range 10 {
			r.mustBeEmpty(t)
		}
		if n := r.head.Load() - h; n > uint64(r.ahead) {
			t.Errorf("capacity %d: dequeuers went through %d positions, want at most %d", capacity, n, r.ahead)
		}
		if n := r.len(); n > capacity {
			t.Errorf("capacity %d: length %d", capacity, n)
		}
	}
}

// TestScqLimitMovesSeldom counts how often a busy ring writes limit, which all its dequeuers read.
func TestScqLimitMovesSeldom(t *testing.T) {
	const capacity, rounds = 256, 1000
	r := newScqRing(capacity, 0)
	moves := 0
	for range rounds {
		before := r.limit.Load()
		r.enqueue(0)
		r.mustTake(t, 0)
		if r.limit.Load() != before {
			moves++
		}
	}
	if want := rounds/int(r.ahead) + 1; moves > want {
		t.Errorf("limit was moved %d times by %d indices, want at most %d", moves, rounds, want)
	}
}

// TestScqCatchesUp has dequeuers go far ahead of the enqueuers: tail follows in one step.
func TestScqCatchesUp(t *testing.T) {
	r := newScqRing(4, 0)
	var h uint64
	for range 100 {
		h = r.head.Add(1)
	}
	r.catchUp(r.tail.Load(), h)
	if r.tail.Load() != h {
		t.Errorf("tail is %d, want %d", r.tail.Load(), h)
	}
	r.catchUp(h-10, h-5)
	if r.tail.Load() != h {
		t.Errorf("tail went back to %d", r.tail.Load())
	}
	r.enqueue(2)
	r.mustTake(t, 2)
}
