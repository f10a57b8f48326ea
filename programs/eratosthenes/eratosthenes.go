package eratosthenes

import (
	"fmt"

	"github.com/freerun-go/freerun/programs"
)

const paramBuffer = "buffer"

// Program is the program with all its variants.
var Program = &programs.Program{
	Name:      "eratosthenes",
	Doc:       "a chain of sieves, each a task that removes the multiples of one prime",
	Source:    "fourth paper, section 6, table 1",
	Operation: "number given to a sieve",
	Params: []programs.Param{
		{Name: programs.Size, Letter: "n", Doc: "the greatest number", Default: 10_000, Quick: 2_000, Min: 10, Max: 10_000_000},
		{Name: paramBuffer, Doc: "numbers that may wait before a sieve", Default: 100, Quick: 100, Min: 1, Max: 1_000_000},
	},
	Variants: []programs.Variant{
		{Name: "activities", Kind: programs.Freerun, Doc: "an activity for each sieve, and activity.Mailbox between", Run: runActivities},
		{Name: "units", Kind: programs.Freerun, Doc: "a unit for each sieve, which tells the next one, as many numbers as that has asked for", Run: runUnits},
		{Name: "goroutines", Kind: programs.PlainGo, Doc: "a goroutine for each sieve, and buffered channels between", Run: runGoroutines},
	},
	Expected: func(v programs.Values) string { return due(v.Get(programs.Size)).String() },
}

// tally is the result of one sieve or of many.
type tally struct{ primes, sum, given uint64 }

// sieve is a task's state: its prime, which is the first number that it gets, and how many numbers
// it got.
type sieve struct{ prime, given int }

// passes reports whether a number, which must not be the first, goes on to the next sieve.
func (s *sieve) passes(number int) bool {
	s.given++
	return number%s.prime != 0
}

// add adds the result of a sieve.
func (t *tally) add(s sieve) {
	t.primes++
	t.sum += uint64(s.prime)
	t.given += uint64(s.given)
}

func (t tally) String() string {
	return fmt.Sprintf("%d primes, sum %d, %d numbers given", t.primes, t.sum, t.given)
}

// due computes the expected result up to n with an array. A number goes to every sieve up to the
// one of its least prime factor.
func due(n int) (t tally) {
	least := make([]int, n+1) // the ordinal of the number's least prime factor, from 1
	for i := 2; i <= n; i++ {
		if least[i] == 0 {
			t.primes++
			t.sum += uint64(i)
			for multiple := i; multiple <= n; multiple += i {
				if least[multiple] == 0 {
					least[multiple] = int(t.primes)
				}
			}
		}
		t.given += uint64(least[i])
	}
	return t
}
