//go:build explore

package activity

// patience is so small that the explorer sees a lock handed over.
const patience = 1
