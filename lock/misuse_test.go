//go:build !explore

package lock_test

import (
	"context"
	"testing"

	"github.com/freerun-go/freerun/internal/runtimetest/misuse"
	"github.com/freerun-go/freerun/lock"
)

// TestMisuseIsTold calls LockContext with a nil context. Each panic must say what would be right.
func TestMisuseIsTold(t *testing.T) {
	var noContext context.Context
	misuse.Check(t, misuse.Calls{
		"MCS": {
			"lock: LockContext with a nil context.Context; call Lock",
			func() { _ = new(lock.MCS).LockContext(noContext) },
		},
		"CLH": {
			"lock: LockContext with a nil context.Context; call Lock",
			func() { _ = new(lock.CLH).LockContext(noContext) },
		},
		"Backoff": {
			"lock: LockContext with a nil context.Context; call Lock",
			func() { _ = new(lock.Backoff).LockContext(noContext) },
		},
		"Anderson": {
			"lock: LockContext with a nil context.Context; call Lock",
			func() { _ = lock.NewAnderson(1).LockContext(noContext) },
		},
		"FIFO": {
			"lock: LockContext with a nil context.Context; call Lock",
			func() { _ = new(lock.FIFO).LockContext(noContext) },
		},
	})
}
