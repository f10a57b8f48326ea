package activity

import (
	"runtime"
	"sync/atomic"
)

// functionNames knows the names of functions at return addresses that were asked for: stacks are
// looked at again and again, and to find a name takes ten times as long as to find its address.
// Addresses that share a place displace each other.
var functionNames [1024]atomic.Pointer[functionName]

type functionName struct {
	pc       uintptr
	function string
}

// functionAt returns the name of the function of one of the addresses that runtime.Callers notes;
// that may be one which is inlined in another.
func functionAt(pc uintptr) string {
	const fibonacci = 0x9e3779b1
	place := &functionNames[uint32(pc)*fibonacci>>22]
	if known := place.Load(); known != nil && known.pc == pc {
		return known.function
	}
	frame, _ := runtime.CallersFrames([]uintptr{pc}).Next()
	place.Store(&functionName{pc, frame.Function})
	return frame.Function
}
