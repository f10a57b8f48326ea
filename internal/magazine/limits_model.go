//go:build explore

package magazine

// Small limits, so that few steps exceed them.
const (
	BatchSize  = 2
	depotSlots = 2
)
