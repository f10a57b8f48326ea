package freerun

import (
	"math"
	"math/big"
	"testing"
	"time"
)

// TestBackOffDelay compares the delays with a model without overflow.
func TestBackOffDelay(t *testing.T) {
	for _, least := range []time.Duration{1, 3, time.Millisecond, time.Hour, math.MaxInt64 / 2, math.MaxInt64 - 1, math.MaxInt64} {
		for _, most := range []time.Duration{1, 2, 3, 4, 5, 100 * time.Millisecond, time.Hour, math.MaxInt64/2 + 1, math.MaxInt64} {
			if most < least {
				continue
			}
			b := &backOff{least: least, most: most}
			for nth := 1; nth <= 200; nth++ {
				want := new(big.Int).Lsh(big.NewInt(int64(least)), uint(nth-1))
				if limit := big.NewInt(int64(most)); want.Cmp(limit) > 0 {
					want = limit
				}
				if d := b.delay(nth); int64(d) != want.Int64() {
					t.Fatalf("%v to %v, restart %d: %v, and not %v", least, most, nth, d, want)
				}
			}
		}
	}
}
