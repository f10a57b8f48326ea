//go:build !explore

package activity

const (
	// patience is how often one who waits for a [Mutex] is woken in vain before the lock is handed to it.
	patience = 4
	// clearers is how many leave a crowd for one, on average, who clears it.
	clearEvery = 16
)
