package lock

import "errors"

// ErrFull is what LockContext returns when a lock of bounded length has no place for one more: [Anderson], or a [FIFO] whose queue is
// bounded.
var ErrFull = errors.New("lock: no place in the line")
