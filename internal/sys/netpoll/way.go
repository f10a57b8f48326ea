package netpoll

import "sync/atomic"

// The ways that [Way] returns.
const (
	WayEventfd = "eventfd"
	WayPipe    = "pipe"
	WayYield   = "yield" // a busy processor only yields; Go's monitor polls, every 10 ms
)

// status is the outcome of making the last poller.
type status struct {
	way string
	err error
}

var last atomic.Pointer[status]

// Way returns, as texts for reports, the way in which the network is polled while every P is busy,
// and the reason. If no poller was made yet, it tries to make one. Any goroutine may call it.
func Way() (way, why string) {
	if last.Load() == nil {
		if p, err := New(); err == nil {
			p.Close()
		}
	}
	switch now := last.Load(); {
	case now == nil:
		return WayYield, "this build has no descriptor to wait for: Windows, wasm, or the tag freerun_portable"
	case now.err != nil:
		return WayYield, "no descriptor could be made: " + now.err.Error()
	case now.way == WayPipe:
		return WayPipe, "a busy processor waits for an event of its own, and Go polls; there is no eventfd here"
	default:
		return now.way, "a busy processor waits for an event of its own, and Go polls"
	}
}
