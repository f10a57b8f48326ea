package deque

import (
	"time"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// ends is a deque as these tests use it: its values are numbers.
type ends struct {
	push  func(v int) bool
	pop   func() (int, bool)
	steal func() (int, Outcome)
	empty func() bool
	len   func() int
	cap   func() int // nil without bound
}

// numbers are the targets of pointers.
var numbers = func() (all [4096]int) {
	for i := range all {
		all[i] = i
	}
	return all
}()

func number(v *int) int {
	if v == nil {
		return 0
	}
	return *v
}

func typed(v *byte) *int { return (*int)(unsafe.Pointer(v)) }

// ofPointers returns a deque of pointers to numbers.
func ofPointers(d owner[*int], t thief[*int]) ends {
	return ends{
		push: func(v int) bool { return d.TryPush(&numbers[v]) },
		pop: func() (int, bool) {
			v, ok := d.Pop()
			return number(v), ok
		},
		steal: func() (int, Outcome) {
			v, outcome := t.Steal()
			return number(v), outcome
		},
		empty: t.Empty,
		len:   d.Len,
	}
}

// growableFrom returns a deque with a buffer of size slots, whose indices begin at start.
func growableFrom(size int, start int64) *Growable[int] {
	d := NewGrowable[int]()
	d.core.top.Store(start)
	d.core.bottom.Store(start)
	d.core.next, d.core.topSeen = start, start
	d.core.use(newBuffer(int64(size)))
	return d
}

// boundedFrom returns a deque of capacity slots, whose age begins at start.
func boundedFrom(capacity int, start age) *Bounded[int] {
	d := NewBounded[int](capacity)
	c, index := &d.core, start.index()
	c.age.Store(uint64(start))
	c.bottom.Store(index)
	c.next, c.topSeen, c.limit = index, index, index+c.capacity
	return d
}

// hybridFrom returns a deque with a ring of size slots, whose indices begin at start.
func hybridFrom(size int, start int64) *Hybrid[int] {
	d := NewHybrid[int]()
	d.head.Store(start << 1)
	d.tail.Store(start)
	d.ring.Set(make([]atomics.Plain[int], size))
	d.next, d.limit = start, start+int64(size)
	return d
}

// growableEnds, boundedEnds and hybridEnds return a deque behind its ends.
func growableEnds(size int, start int64) ends {
	d := growableFrom(size, start)
	return ofPointers(d, d.Thief())
}

func boundedEnds(capacity int, start age) ends {
	d := boundedFrom(capacity, start)
	e := ofPointers(d, d.Thief())
	e.cap = d.Cap
	return e
}

func hybridEnds(size int, start int64, patience time.Duration) ends {
	d := hybridFrom(size, start)
	steal := d.Thief().Steal
	if patience > 0 {
		steal = func() (int, Outcome) { return d.Thief().TrySteal(patience) }
	}
	return ends{
		push: func(v int) bool {
			if patience == 0 || !d.TryPush(v) {
				d.Push(v)
			}
			return true
		},
		pop:   d.Pop,
		steal: steal,
		empty: d.Thief().Empty,
		len:   d.Len,
	}
}
