//go:build !explore

package activity

const (
	// patience is how often a waiter for a [Mutex] is woken in vain before it is handed the lock.
	patience = 4
	// clearEvery is how many waiters leave a broadcast, on average, until one clears it.
	clearEvery = 16
)
