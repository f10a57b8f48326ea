package deque_test

import (
	"runtime"
	"testing"
	"weak"

	"github.com/freerun-go/freerun/deque"
)

// TestGrowableRetainsNothing holds that what was popped or stolen is not kept alive: by an outgrown buffer, or by slots that are
// not in use.
func TestGrowableRetainsNothing(t *testing.T) {
	type value struct{ _ [64]byte }
	for name, take := range map[string]func(d *deque.Growable[value], count int){
		"popped": func(d *deque.Growable[value], count int) {
			for range count {
				d.Pop()
			}
		},
		"stolen, and the owner finds nothing": func(d *deque.Growable[value], count int) {
			for range count {
				d.Thief().Steal()
			}
			d.Pop()
		},
		"stolen, and the owner finds one": func(d *deque.Growable[value], count int) {
			for range count {
				d.Thief().Steal()
			}
			d.Push(&value{})
			d.Pop()
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, count := range []int{1, 3, 64, 65, 300} {
				d := deque.NewGrowable[value]()
				var gone []weak.Pointer[value]
				for range 3 {
					for range count {
						v := &value{}
						gone = append(gone, weak.Make(v))
						d.Push(v)
					}
					take(d, count)
				}
				runtime.GC()
				runtime.GC()
				for i, w := range gone {
					if w.Value() != nil {
						t.Fatalf("%d values at a time: value %d is kept alive", count, i)
					}
				}
				runtime.KeepAlive(d)
			}
		})
	}
}
