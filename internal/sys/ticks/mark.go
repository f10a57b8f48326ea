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

// PerSecond returns the ticks of a second, from two instants; those of a nanosecond clock if the
// instants are too close to tell.
func PerSecond(from, to Mark) float64 {
	d := to.Time.Sub(from.Time)
	if d <= 0 || to.Ticks <= from.Ticks {
		return 1e9
	}
	return float64(to.Ticks-from.Ticks) / d.Seconds()
}
