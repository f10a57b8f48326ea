package main

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// TestRankTable checks the ranks against the critical values of the sign test, two-sided at 5%,
// from printed tables: a rank is one more than the critical value.
func TestRankTable(t *testing.T) {
	for n, want := range map[int]int{1: 0, 5: 0, 6: 1, 8: 1, 9: 2, 12: 3, 15: 4, 20: 6, 25: 8, 30: 10, 40: 14, 50: 18, 100: 40} {
		if got := rank(n); got != want {
			t.Errorf("rank(%d) = %d, want %d", n, got, want)
		}
	}
}

// TestRankExactly checks the ranks with whole numbers: the number of subsets of n values that make
// the interval miss the median.
func TestRankExactly(t *testing.T) {
	for n := minPairs; n <= maxPairs; n += 1 + n/10 {
		// miss(k) is 2·P(X < k), times 2 to the power of n, times 20: at most 2^n if the interval
		// holds.
		all := new(big.Int).Lsh(big.NewInt(1), uint(n))
		holds := func(k int) bool {
			sum := new(big.Int)
			for i := range k {
				sum.Add(sum, new(big.Int).Binomial(int64(n), int64(i)))
			}
			return sum.Mul(sum, big.NewInt(40)).Cmp(all) <= 0
		}
		if k := rank(n); k < 1 || !holds(k) || holds(k+1) {
			t.Errorf("rank(%d) = %d: %v, and the next %v", n, k, holds(k), holds(k+1))
		}
	}
}

// TestCoverage draws ratios from a skewed distribution with a known median. The interval must
// contain the median in 95% of the cases. The seed is fixed, so the outcome is fixed too.
func TestCoverage(t *testing.T) {
	const seed, rounds, truth = 7, 4000, 1.1
	random := rand.New(rand.NewPCG(seed, seed))
	for _, n := range []int{6, 20, 21, 50} {
		held := 0
		for range rounds {
			pairs := make([]pair, n)
			for i := range pairs {
				base := 100 * math.Exp(random.NormFloat64()) // both runs of a pair drift alike
				pairs[i] = pair{base, base * truth * math.Exp(0.2*random.ExpFloat64()-0.2*math.Ln2)}
			}
			if c := compare(pairs); c.low <= truth && truth <= c.high {
				held++
			}
		}
		if share := float64(held) / rounds; share < 0.94 {
			t.Errorf("seed %d: of %d pairs the interval holds the median in %.1f%% of the cases", seed, n, 100*share)
		}
	}
}

func TestCompare(t *testing.T) {
	// The ratios are 1.1, 1.05, 1.2, 1.3, 0.9 and 1.15.
	pairs := []pair{{100, 110}, {200, 210}, {50, 60}, {100, 130}, {100, 90}, {40, 46}}
	c := compare(pairs)
	if math.Abs(c.median-1.125) > 1e-9 || c.low != 0.9 || c.high != 1.3 || c.minima != 46.0/40 {
		t.Errorf("%+v", c)
	}
}

func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{1.021, 1.5, "slower"}, {1.02, 1.5, "same"}, {0.99, 1.5, "same"}, {0.5, 0.979, "faster"}, {0.5, 0.98, "same"}, {0.985, 1.015, "same"}, {0.5, 1.5, "same"},
	} {
		if got := (comparison{low: c.low, high: c.high}).verdict(); got != c.want {
			t.Errorf("%v to %v: %s, want %s", c.low, c.high, got, c.want)
		}
	}
}
