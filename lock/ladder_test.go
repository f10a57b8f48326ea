//go:build !explore

package lock_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/freerun-go/freerun/internal/verify/conformance"
	"github.com/freerun-go/freerun/lock"
)

// patient is a lock whose refusals for want of a place look as if the context had ended, which the
// conformance tests know.
type patient struct{ locker }

func (p patient) LockContext(ctx context.Context) error {
	err := p.locker.LockContext(ctx)
	if errors.Is(err, lock.ErrFull) {
		return context.Canceled
	}
	return err
}

// TestLockLadder holds every lock to what all locks have in common.
func TestLockLadder(t *testing.T) {
	for _, k := range slices.Concat(kinds, cramped) {
		t.Run(k.name, func(t *testing.T) {
			conformance.Lock(t, conformance.LockSpec{New: func(int) conformance.Locker { return patient{k.make()} }})
		})
	}
}
