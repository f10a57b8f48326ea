package fib

import (
	"fmt"
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestVariants(t *testing.T) {
	for _, size := range []int{0, 1, 2, 3, 15} {
		for _, extra := range []int{0, 10} {
			programtest.Run(t, Program, programs.Values{programs.Size: size, work: extra})
		}
	}
}

func TestNumber(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 1, 2: 1, 3: 2, 10: 55, 30: 832040, 45: 1134903170} {
		if got := number(n); got != want {
			t.Errorf("number(%d) = %d, want %d", n, got, want)
		}
	}
}

// TestCalls compares the closed form with a recursion that counts its calls.
func TestCalls(t *testing.T) {
	for n := range 20 {
		var counted uint64
		var recurse func(int)
		recurse = func(n int) {
			counted++
			if n >= 2 {
				recurse(n - 1)
				recurse(n - 2)
			}
		}
		recurse(n)
		if calls(n) != counted {
			t.Errorf("calls(%d) = %d, counted %d", n, calls(n), counted)
		}
	}
	if calls(30) != 2692537 {
		t.Errorf("calls(30) = %d, want 2692537", calls(30))
	}
}

// TestBurnAddsNothing: the extra work does not change the result.
func TestBurnAddsNothing(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 1000} {
		if burn(n) != 0 {
			t.Errorf("burn(%d) = %d, want 0", n, burn(n))
		}
	}
}

func Example() {
	v, _ := Program.Values(true, map[string]int{programs.Size: 20})
	variant, _ := Program.Variant("futures")
	r, err := Program.Run(variant, programs.Config{Processors: 2, Values: v})
	fmt.Println(r.Checksum, r.Operations, err)
	// Output: 6765 21891 <nil>
}
