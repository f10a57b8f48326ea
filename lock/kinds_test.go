//go:build !explore

package lock_test

import (
	"context"
	"sync"

	"github.com/freerun-go/freerun/lock"
)

// locker has the methods of all locks of the package.
type locker interface {
	sync.Locker
	TryLock() bool
	LockContext(ctx context.Context) error
}

// kind is a lock under test.
type kind struct {
	name string
	make func() locker
	fifo bool // admits in the order of arrival
}

// kinds are all locks, with places for as many waiters as any test has.
var kinds = []kind{
	{"Anderson", func() locker { return lock.NewAnderson(1024) }, true},
	{"CLH", func() locker { return new(lock.CLH) }, true},
	{"MCS", func() locker { return new(lock.MCS) }, true},
	{"FIFO", func() locker { return new(lock.FIFO) }, true},
	{"FIFO-queue", func() locker { return lock.NewFIFO(&sliceQueue{}) }, true},
	{"Backoff", func() locker { return new(lock.Backoff) }, false},
}

// cramped are locks with fewer places than waiters.
var cramped = []kind{
	{"Anderson-1", func() locker { return lock.NewAnderson(1) }, true},
	{"Anderson-2", func() locker { return lock.NewAnderson(2) }, true},
	{"FIFO-1", func() locker { return lock.NewFIFO(&sliceQueue{bound: 1}) }, true},
}

// sliceQueue is a queue, bounded if bound is not 0.
type sliceQueue struct {
	mu      sync.Mutex
	bound   int
	waiters []*lock.Waiter
}

func (q *sliceQueue) TryEnqueue(w *lock.Waiter) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.bound > 0 && len(q.waiters) >= q.bound {
		return false
	}
	q.waiters = append(q.waiters, w)
	return true
}

func (q *sliceQueue) TryDequeue() (*lock.Waiter, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiters) == 0 {
		return nil, false
	}
	w := q.waiters[0]
	q.waiters = q.waiters[1:]
	return w, true
}
