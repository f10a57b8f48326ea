//go:build explore

package sched

// Small limits, so that few steps go beyond them.
const (
	ringSize     = 4
	searchRounds = 1
)
