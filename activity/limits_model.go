//go:build explore

package activity

// The limits are so small that the explorer sees locks handed over and broadcasts cleared.
const (
	patience   = 1
	clearEvery = 1
)
