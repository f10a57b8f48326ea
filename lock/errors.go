package lock

import (
	"context"
	"errors"
)

// ErrFull is the error of LockContext when a lock of bounded length has no free place: an
// [Anderson], or a [FIFO] whose queue is bounded.
var ErrFull = errors.New("lock: no free place in the queue")

// ended reports whether ctx has ended. It panics if ctx is nil.
func ended(ctx context.Context) bool {
	if ctx == nil {
		panic("lock: LockContext with a nil context.Context; call Lock")
	}
	return ctx.Err() != nil
}
