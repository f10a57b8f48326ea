package conformance

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/linear"
)

// An Outcome is the result of a Steal. The outcomes of package deque have the same numbers.
type Outcome uint8

// The outcomes of a Steal.
const (
	Empty Outcome = iota
	Stolen
	Retry
)

// Ends is a deque as the ladder calls it: the methods of the owner, and handles for thieves.
type Ends[T any] struct {
	Push  func(v T) bool                 // owner only; always true if the deque is unbounded
	Pop   func() (v T, ok bool)          // owner only
	Thief func() func() (v T, o Outcome) // returns a Steal for one goroutine
	Len   func() int                     // owner only; may be nil
}

// A DequeSpec describes the promises of a work-stealing deque: its owner pushes and pops at one
// end, thieves steal at the other.
type DequeSpec struct {
	// New, NewWide and NewBoxed return a deque with this capacity for items of their type.
	// Unbounded deques ignore the capacity. All three are needed.
	New      func(capacity int) Ends[int]
	NewWide  func(capacity int) Ends[Wide]
	NewBoxed func(capacity int) Ends[*Box]

	Bounded    bool
	PowerOfTwo bool        // a bounded deque rounds its capacity up to a power of two
	Smallest   int         // smallest capacity, to which a bounded deque rounds up; 0 means 1
	Full       linear.Full // the meaning of false from Push of a bounded deque

	Retry linear.Retry // when a Steal may return [Retry]

	// NotLockFree means that a stopped thread may hold the others up. The explorer must then find a
	// thread that does.
	NotLockFree bool

	// Long means that a call takes many steps. The explorer then bounds the preemptions of two
	// threads too.
	Long bool

	// NearOverflow, if not nil, returns an empty deque whose indices are about to overflow.
	NearOverflow func(capacity int) Ends[int]
}

// Deque runs the ladder of tests on a deque, each rung as a subtest.
func Deque(t *testing.T, s DequeSpec) {
	t.Helper()
	if s.New == nil || s.NewWide == nil || s.NewBoxed == nil {
		t.Fatal("ladder: a DequeSpec needs New, NewWide and NewBoxed")
	}
	climb(t, s, dequeRungs(s))
}

// FuzzDeque compares a deque with the model, call by call, for calls that the fuzzer chooses. The
// first byte chooses the capacity, each further byte a call.
func FuzzDeque(f *testing.F, s DequeSpec) {
	f.Helper()
	for _, seed := range fuzzSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, calls []byte) {
		if len(calls) == 0 {
			return
		}
		capacity := 1 + int(calls[0]%9)
		d := s.New(capacity)
		if s.NearOverflow != nil && calls[0] >= 128 {
			d = s.NearOverflow(capacity)
		}
		if err := s.drill(d, capacity).run(calls[1:]); err != nil {
			t.Error(err)
		}
	})
}

func dequeRungs(s DequeSpec) []rung[DequeSpec] {
	rungs := []rung[DequeSpec]{{"sequential", dequeSequential}}
	if s.Bounded {
		rungs = append(rungs, rung[DequeSpec]{"capacity", dequeCapacity})
	}
	return append(
		rungs,
		rung[DequeSpec]{"wrap", dequeWrap},
		rung[DequeSpec]{"stampede", dequeStampede},
		rung[DequeSpec]{"stress", dequeStress},
		rung[DequeSpec]{"linearizable", dequeLinearizable},
		rung[DequeSpec]{"wide", dequeTorn},
		rung[DequeSpec]{"retention", dequeRetention},
		rung[DequeSpec]{"truthful", dequeTruthful},
	)
}

// fits returns the number of items that a deque made with this capacity holds.
func (s DequeSpec) fits(capacity int) int {
	return QueueSpec{PowerOfTwo: s.PowerOfTwo, Smallest: s.Smallest}.fits(capacity)
}

func (s DequeSpec) rooms() []int { return QueueSpec{Bounded: s.Bounded}.rooms() }

func (s DequeSpec) model(capacity int) linear.Model {
	room := linear.Unbounded
	if s.Bounded {
		room = s.fits(capacity)
	}
	return linear.Deque(room, s.Full, s.Retry)
}

// A dequeDrill calls a deque from one goroutine and compares each answer with the expected one.
type dequeDrill struct {
	ends    Ends[int]
	thieves []func() (int, Outcome)
	room    int // 0 if without bound
	made    int
	items   []int // the owner's end is the last one
}

func (s DequeSpec) drill(d Ends[int], capacity int) *dequeDrill {
	drill := &dequeDrill{ends: d, thieves: []func() (int, Outcome){d.Thief(), d.Thief()}}
	if s.Bounded {
		drill.room = s.fits(capacity)
	}
	return drill
}

func (d *dequeDrill) push() error {
	full := d.room > 0 && len(d.items) == d.room
	if ok := d.ends.Push(d.made); ok == full {
		return fmt.Errorf("Push(%d) = %v", d.made, ok)
	}
	if !full {
		d.items = append(d.items, d.made)
	}
	d.made++
	return nil
}

func (d *dequeDrill) pop() error {
	v, ok := d.ends.Pop()
	last := len(d.items) - 1
	switch {
	case ok != (last >= 0) || ok && v != d.items[last]:
		return fmt.Errorf("Pop() = %d, %v", v, ok)
	case ok:
		d.items = d.items[:last]
	}
	return nil
}

func (d *dequeDrill) steal(thief int) error {
	v, outcome := d.thieves[thief]()
	want := Stolen
	if len(d.items) == 0 {
		want = Empty
	}
	if outcome != want || want == Stolen && v != d.items[0] {
		return fmt.Errorf("Steal() = %d, outcome %d", v, outcome)
	}
	if want == Stolen {
		d.items = d.items[1:]
	}
	return nil
}

// do makes the call that a byte stands for.
func (d *dequeDrill) do(b byte) error {
	var err error
	switch choice := b % 8; choice {
	case 0, 1, 2, 7:
		err = d.push()
	case 3, 4:
		err = d.pop()
	default:
		err = d.steal(int(choice - 5))
	}
	if err == nil && d.ends.Len != nil {
		if n := d.ends.Len(); n != len(d.items) {
			err = fmt.Errorf("Len() = %d", n)
		}
	}
	return err
}

// run makes the calls that bytes stand for, and then empties the deque from both ends.
func (d *dequeDrill) run(calls []byte) error {
	for i, b := range calls {
		if err := d.do(b); err != nil {
			return fmt.Errorf("call %d, with %d items in it, oldest first %.10v: %w", i, len(d.items), d.items, err)
		}
	}
	for empty := false; !empty; {
		empty = len(d.items) == 0
		if err := d.steal(0); err != nil {
			return fmt.Errorf("at the end: %w", err)
		}
		if err := d.pop(); err != nil {
			return fmt.Errorf("at the end: %w", err)
		}
	}
	return nil
}

// dequeSequential makes random calls, in phases of more pushing and more taking.
func dequeSequential(s DequeSpec, seed uint64) error {
	random := rand.New(rand.NewPCG(seed, 0))
	for _, capacity := range []int{1, 2, 3, 4, 5, 7, 8, 64, 1000} {
		calls := make([]byte, size(sequentialCalls))
		for i := range calls {
			if calls[i] = byte(random.UintN(256)); i/300%2 == 0 && random.UintN(2) == 0 {
				calls[i] = 0
			}
		}
		if err := s.drill(s.New(capacity), capacity).run(calls); err != nil {
			return fmt.Errorf("capacity %d: %w", capacity, err)
		}
	}
	return nil
}

// dequeCapacity makes bounded deques of several capacities and checks how many items each holds.
func dequeCapacity(s DequeSpec, _ uint64) error {
	if err := refusesCapacities(func(capacity int) { s.New(capacity) }); err != nil {
		return err
	}
	for _, asked := range []int{1, 2, 3, 4, 5, 8, 9, 100} {
		d := s.drill(s.New(asked), asked)
		for range 3 {
			for i := range s.fits(asked) + 1 { // the last one is refused
				if err := d.push(); err != nil {
					return fmt.Errorf("capacity %d, item %d: %w", asked, i, err)
				}
			}
			if err := d.run(nil); err != nil {
				return fmt.Errorf("capacity %d: %w", asked, err)
			}
		}
	}
	return nil
}

// dequeWrap keeps deques at each level of filling for many laps. Items are pushed and stolen,
// pushed and popped, and both in turn.
func dequeWrap(s DequeSpec, _ uint64) error {
	laps := func(d *dequeDrill, level, count int) error {
		for range level {
			if err := d.push(); err != nil {
				return err
			}
		}
		for i := range count {
			for _, b := range [][]byte{{0, 5}, {0, 3}, {0, 0, 5, 3}, {3, 0}, {5, 0}}[i/7%5] {
				if err := d.do(b); err != nil {
					return fmt.Errorf("step %d: %w", i, err)
				}
			}
		}
		return d.run(nil)
	}
	for _, capacity := range []int{1, 2, 3, 4, 8} {
		room := s.fits(capacity)
		for level := range room + 1 {
			if err := laps(s.drill(s.New(capacity), capacity), level, size(wrapLaps)*room); err != nil {
				return fmt.Errorf("capacity %d, kept at %d items: %w", capacity, level, err)
			}
			if s.NearOverflow == nil {
				continue
			}
			if err := laps(s.drill(s.NearOverflow(capacity), capacity), level, 8*room+64); err != nil {
				return fmt.Errorf("capacity %d, kept at %d items, indices about to overflow: %w", capacity, level, err)
			}
		}
	}
	return nil
}
