package conformance

import (
	"fmt"

	"github.com/freerun-go/freerun/internal/verify/linear"
)

// Wide is an item of 128 bytes. All its words encode the same value.
type Wide [16]uint64

func wide(v int) (w Wide) {
	for i := range w {
		w[i] = uint64(v)*uint64(len(w)) + uint64(i)
	}
	return w
}

// value returns the value of the item, or an error if its words contradict each other.
func (w Wide) value() (int, error) {
	for i := range w {
		if w[i] != w[0]+uint64(i) {
			return 0, fmt.Errorf("an item is torn: its words are %x", w)
		}
	}
	return int(w[0] / uint64(len(w))), nil
}

// Box is an item on the heap, whose collection a weak pointer shows.
type Box struct {
	number int
	_      [56]byte // not so small that the allocator puts several into one block
}

// valueOf returns the value of a producer's item i, counted from 0. The values of up to 2,000
// producers fit 32 bits.
func valueOf(producer, i int) int { return producer*linear.Stride + i }

// A tally counts, for each item of each producer, how often it came out.
type tally struct{ came [][]uint8 }

func newTally(producers, each int) *tally {
	t := &tally{came: make([][]uint8, producers)}
	for i := range t.came {
		t.came[i] = make([]uint8, each)
	}
	return t
}

// add counts the items that one consumer got. If ordered is set, each producer's items must be in
// order.
func (t *tally) add(values []int, ordered bool) error {
	last := make([]int, len(t.came))
	for i := range last {
		last[i] = -1
	}
	for _, v := range values {
		producer, i := v/linear.Stride, v%linear.Stride
		if v < 0 || producer >= len(t.came) || i >= len(t.came[producer]) {
			return fmt.Errorf("%d came out, which no producer put in", v)
		}
		t.came[producer][i]++
		if t.came[producer][i] > 1 {
			return fmt.Errorf("item %d of producer %d came out twice", i, producer)
		}
		if ordered && i < last[producer] {
			return fmt.Errorf("one consumer got item %d of producer %d after its item %d", i, producer, last[producer])
		}
		last[producer] = i
	}
	return nil
}

// lost returns an error if an item did not come out.
func (t *tally) lost() error {
	missing, first := 0, ""
	for producer, came := range t.came {
		for i, n := range came {
			if n == 0 {
				if missing++; missing == 1 {
					first = fmt.Sprintf("item %d of producer %d", i, producer)
				}
			}
		}
	}
	if missing > 0 {
		return fmt.Errorf("%d items never came out, first of them %s", missing, first)
	}
	return nil
}
