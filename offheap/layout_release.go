//go:build !freerun_debug

package offheap

// debug says whether this build has the checks of debug.go.
const debug = false

// A block's check holds its tag, and how much of it was asked for.
const (
	fillBits = 6
	tagBits  = 6
)

const debugOrders = 0
