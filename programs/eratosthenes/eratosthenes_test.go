package eratosthenes

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun"
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

// TestNoMoreWaitThanMay: whatever the bound is, no link gives more numbers than may wait before the
// next one, and none asks for numbers that it has not taken.
func TestNoMoreWaitThanMay(t *testing.T) {
	for _, buffer := range []int{1, 2, 7, 100} {
		for _, processors := range []int{1, 2} {
			rt := freerun.New(freerun.Processors(processors))
			first, err := sift(rt, 2000, buffer)
			if closing := rt.Close(); err != nil || closing != nil {
				t.Fatal(err, closing)
			}
			links := 1
			for before, l := first, first.after; l != nil; before, l = l, l.after {
				links++
				if before.credit+l.taken != buffer || l.count != 0 {
					t.Errorf("bound %d: a credit of %d, %d taken since, %d wait", buffer, before.credit, l.taken, l.count)
				}
			}
			if want := due(2000).primes; links != int(want) {
				t.Errorf("bound %d: %d sieves, want %d", buffer, links, want)
			}
		}
	}
}

// TestTooManyNumbersAreNoticed: a number above the bound is an error.
func TestTooManyNumbersAreNoticed(t *testing.T) {
	l := &link{buffer: 3}
	for i := range 3 {
		if err := l.keep(i); err != nil {
			t.Fatal(err)
		}
	}
	if l.keep(3) == nil {
		t.Error("4 numbers wait, and 3 may")
	}
}
