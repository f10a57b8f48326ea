package main

import (
	"math"
	"slices"
)

// The bounds on the number of pairs. Of fewer than 6 pairs, even the least and the greatest ratio
// enclose the median with less than 95% confidence. With many more than 1000 pairs, 0.5 to the
// power of their number is no float64.
const (
	minPairs = 6
	maxPairs = 1000
)

// margin is the difference that counts: an interval that reaches into 1±margin is no verdict.
const margin = 0.02

// pair holds the times of two neighbouring runs, in ns per operation.
type pair struct{ base, new float64 }

// comparison is the result of the pairs of one program. All its values are ratios new/base.
type comparison struct {
	median    float64 // of the ratios of the pairs
	low, high float64 // the 95% confidence interval of that median
	minima    float64 // the least of new / the least of base
}

// compare draws the conclusion from at least minPairs pairs.
func compare(pairs []pair) comparison {
	ratios := make([]float64, len(pairs))
	base, fresh := math.Inf(1), math.Inf(1)
	for i, p := range pairs {
		ratios[i] = p.new / p.base
		base, fresh = min(base, p.base), min(fresh, p.new)
	}
	slices.Sort(ratios)
	n, k := len(ratios), rank(len(ratios))
	return comparison{
		median: (ratios[(n-1)/2] + ratios[n/2]) / 2,
		low:    ratios[k-1],
		high:   ratios[n-k],
		minima: fresh / base,
	}
}

// rank returns the greatest k for which the k-th least and the k-th greatest of n independent
// values enclose the median of their distribution with a probability of at least 95%, whatever the
// distribution; 0 if there is none.
//
// The median lies below the k-th least value if fewer than k of the n values lie below the median.
// Each value does with probability 1/2. So the probability of that is the binomial P(X < k), and
// that of both sides is twice as much.
func rank(n int) int {
	exactly := math.Pow(0.5, float64(n)) // P(X = k)
	fewer := 0.0                         // P(X < k)
	for k := range n {
		fewer += exactly // now P(X < k+1)
		if 2*fewer > 0.05 {
			return k
		}
		exactly *= float64(n-k) / float64(k+1)
	}
	return 0
}

// verdict returns the conclusion from the interval, in one word.
func (c comparison) verdict() string {
	switch {
	case c.low > 1+margin:
		return "slower"
	case c.high < 1-margin:
		return "faster"
	}
	return "same"
}
