//go:build !explore

package activity

// patience is how often one is woken in vain before the lock is handed to it.
const patience = 4
