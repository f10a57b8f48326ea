package ticks

import "time"

// Mark is an instant on both clocks.
type Mark struct {
	Ticks uint64
	Time  time.Time
}

// Take reads both clocks.
func Take() Mark {
	// The pair whose two readings of the counter are closest together was not interrupted in
	// between.
	var best Mark
	least := ^uint64(0)
	for range 5 {
		before := Now()
		now := time.Now()
		after := Now()
		if apart := after - before; apart < least {
			best, least = Mark{before + apart/2, now}, apart
		}
	}
	return best
}

// PerSecond returns the number of ticks in a second, computed from two instants. If the instants
// are too close to tell, it returns 1e9, as for a clock of nanoseconds.
func PerSecond(from, to Mark) float64 {
	d := to.Time.Sub(from.Time)
	if d <= 0 || to.Ticks <= from.Ticks {
		return 1e9
	}
	return float64(to.Ticks-from.Ticks) / d.Seconds()
}
