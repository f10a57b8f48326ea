//go:build !freerun_debug

package offheap

// debug tells whether this build checks more than it must: see debug.go.
const debug = false

// How much of a block was asked for, and its tag, are in the check.
const (
	fillBits = 6
	tagBits  = 6
)

const debugOrders = 0
