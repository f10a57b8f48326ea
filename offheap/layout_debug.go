//go:build freerun_debug

package offheap

// debug says whether this build has the checks of debug.go.
const debug = true

// A block's record holds its tag, and how much of it was asked for. So its check has more room for
// the generation.
const (
	fillBits = 0
	tagBits  = 0
)

// debugOrders is 1: a block is half of its memory.
const debugOrders = 1
