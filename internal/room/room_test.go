package room

import (
	"math"
	"testing"
	"unsafe"
)

func TestFor(t *testing.T) {
	for n, want := range map[int]int{0: 1, 1: 1, 2: 2, 3: 4, 4: 4, 1000: 1024} {
		if places, fits := For[int](n); !fits || len(places) != want {
			t.Errorf("For(%d) returned %d places, %v; want %d", n, len(places), fits, want)
		}
	}
	for _, n := range []int{math.MaxInt, math.MaxInt/2 + 1, int(Most/uint64(unsafe.Sizeof(0))) + 1} {
		if places, fits := For[int](n); fits || len(places) != 0 {
			t.Errorf("For(%d) fits", n)
		}
	}
	if _, fits := For[[0]int](math.MaxInt); fits {
		t.Error("as many places as there are numbers fit, as they have no size")
	}
}
