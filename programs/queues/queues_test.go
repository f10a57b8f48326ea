package queues

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestVariants lets each variant carry items of each size in each shape that it supports. All items
// arrive, and none is torn.
func TestVariants(t *testing.T) {
	size := 3000
	for _, v := range Program.Variants {
		t.Run(v.Name, func(t *testing.T) {
			ran := false
			for _, point := range Program.Points {
				values, err := Program.Values(true, point)
				if err != nil {
					t.Fatal(err)
				}
				values[programs.Size] = size
				if v.Fits != nil && !v.Fits(values) {
					continue
				}
				ran = true
				r, err := Program.Run(v, programs.Config{Processors: 2, Values: values})
				if err != nil {
					t.Error(err)
				}
				if r.Operations != uint64(size) {
					t.Errorf("%v: %d operations, want %d", point, r.Operations, size)
				}
			}
			if !ran {
				t.Error("the variant is for none of the shapes")
			}
		})
	}
}

func TestRefusesOtherPayloads(t *testing.T) {
	values, err := Program.Values(true, map[string]int{payload: 16})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Program.Run(Program.Variants[3], programs.Config{Processors: 1, Values: values}); err == nil {
		t.Error("items of 16 bytes were accepted")
	}
}

func TestTornItemsAreNoticed(t *testing.T) {
	v := made[Wide](7)
	if number(&v) != 7 {
		t.Error("a whole item was taken for a torn one")
	}
	v[7]++
	if number(&v) == 7 {
		t.Error("a torn item was not noticed")
	}
}

// TestNothingSharedBeforeTheEnd: a consumer that finds the queue empty writes nothing that others
// see while items are being enqueued; after that, all that arrived is noted.
func TestNothingSharedBeforeTheEnd(t *testing.T) {
	ends := 0
	e := ending{last: func() { ends++ }}
	e.producing.Store(2)
	e.left.Store(10)
	e.produced()
	if noted, over := e.arrived(4); noted || over || e.left.Load() != 10 || ends != 0 {
		t.Errorf("beside a producer: noted %t, over %t, %d left, ended %d times", noted, over, e.left.Load(), ends)
	}
	e.produced()
	if noted, over := e.arrived(4); !noted || over || e.left.Load() != 6 || ends != 1 {
		t.Errorf("after the last producer: noted %t, over %t, %d left, ended %d times", noted, over, e.left.Load(), ends)
	}
	if noted, over := e.arrived(6); !noted || !over {
		t.Errorf("after the last item: noted %t, over %t", noted, over)
	}
}
