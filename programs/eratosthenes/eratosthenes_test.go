package eratosthenes

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/programs"
	"github.com/freerun-go/freerun/programs/programtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestVariants(t *testing.T) {
	for _, v := range []programs.Values{
		{programs.Size: 2, paramBuffer: 1},
		{programs.Size: 3, paramBuffer: 10},
		{programs.Size: 500, paramBuffer: 1},
		{programs.Size: 1000, paramBuffer: 100},
	} {
		for name, r := range programtest.Run(t, Program, v) {
			if want := due(v[programs.Size]).given; r.Operations != want {
				t.Errorf("%s: %d operations, want %d", name, r.Operations, want)
			}
		}
	}
}

// TestDue compares the expected result with known ones, and with a sieve for each prime in a row.
func TestDue(t *testing.T) {
	if d := due(10_000); d.primes != 1229 || d.sum != 5736396 {
		t.Errorf("up to 10,000 there are %d primes with the sum %d, want 1229 and 5736396", d.primes, d.sum)
	}
	for n := 2; n < 200; n++ {
		var sieves []sieve
	numbers:
		for number := 2; number <= n; number++ {
			for i := range sieves {
				if !sieves[i].passes(number) {
					continue numbers
				}
			}
			sieves = append(sieves, sieve{prime: number, given: 1})
		}
		var found tally
		for _, s := range sieves {
			found.add(s)
		}
		if found != due(n) {
			t.Errorf("up to %d: %v, due %v", n, found, due(n))
		}
	}
}
