package conformance

import (
	"fmt"
	"runtime"
	"weak"
)

// dequeRetention checks that items that were popped or stolen can be collected while the deque is
// alive. A deque may keep a stolen item until its owner's next call.
func dequeRetention(s DequeSpec, _ uint64) error {
	for _, count := range []int{1, 3, 16, 65, 300} {
		for _, stolen := range []int{0, 1, count / 2, count} {
			d := s.NewBoxed(count + 1)
			gone, err := passes(d, count, stolen)
			if err == nil {
				err = collected(gone)
			}
			runtime.KeepAlive(d)
			if err != nil {
				return fmt.Errorf("%d items, %d of them stolen, the others popped: %w", count, stolen, err)
			}
		}
	}
	return nil
}

// passes moves laps of items through a deque. At the end of a lap the owner's Pop finds no item, or
// one more.
func passes(d Ends[*Box], count, stolen int) (gone []weak.Pointer[Box], err error) {
	steal := d.Thief()
	for lap := range 4 {
		for i := range count {
			if !d.Push(&Box{number: i}) {
				return nil, fmt.Errorf("lap %d: item %d is refused", lap, i)
			}
		}
		for i := range count {
			var b *Box
			if i < stolen {
				b, _ = steal()
			} else {
				b, _ = d.Pop()
			}
			if b == nil {
				return nil, fmt.Errorf("lap %d: item %d does not come out", lap, i)
			}
			gone = append(gone, weak.Make(b))
		}
		if lap%2 == 1 && !d.Push(&Box{}) {
			return nil, fmt.Errorf("lap %d: an item is refused", lap)
		}
		if _, ok := d.Pop(); ok != (lap%2 == 1) {
			return nil, fmt.Errorf("lap %d: Pop finds %v", lap, ok)
		}
	}
	return gone, nil
}
