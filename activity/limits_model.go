//go:build explore

package activity

// The limits are so small that the explorer sees a lock handed over, and crowds cleared.
const (
	patience   = 1
	clearEvery = 1
)
