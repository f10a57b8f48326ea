//go:build !explore

package magazine

const (
	// BatchSize is the number of messages in a batch.
	BatchSize  = 64
	depotSlots = 64 // batches
)
