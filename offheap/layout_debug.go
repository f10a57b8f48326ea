//go:build freerun_debug

package offheap

// debug tells whether this build checks more than it must: see debug.go.
const debug = true

// How much of a block was asked for, and its tag, are in its record, so that there is more room for the generation.
const (
	fillBits = 0
	tagBits  = 0
)

// debugOrders is 1: a block is half the memory that it has.
const debugOrders = 1
