package activity

import (
	"context"
	"fmt"
)

// Semaphore has a number of permits, acquired and released one by one or several at once. It admits
// in the order of arrival: a caller that wants many permits is not overtaken by callers that want
// few, and holds them up.
//
// Activities and ordinary goroutines may call its methods, and one may release what another has
// acquired. [NewSemaphore] makes it; it must not be copied. It is a counter of which all but the
// semaphore's permits are held for good.
type Semaphore struct {
	q    counter
	size uint64
}

// NewSemaphore returns a semaphore with n free permits. It panics if n is less than 1 or more than
// 1<<60.
func NewSemaphore(n int) *Semaphore {
	if n < 1 || uint64(n) > whole {
		panic(fmt.Sprintf("activity: NewSemaphore(%d), which must be 1 at least, and 1<<60 at most", n))
	}
	s := &Semaphore{size: uint64(n)}
	s.q.state.Store((whole - s.size) * one)
	return s
}

// Acquire acquires n permits. It waits while fewer are free, behind all earlier waiters. It returns
// nil exactly if it has acquired them; otherwise the error says why it stopped waiting (see the
// package's documentation). A call that need not wait does not look at ctx. It panics if n is
// negative, or more than the semaphore has.
func (s *Semaphore) Acquire(ctx context.Context, n int) error {
	s.check("Acquire", n)
	if s.q.tryTake(uint64(n)) {
		return nil
	}
	return s.q.queue.get().wait(ctx, uint64(n), &s.q)
}

// TryAcquire acquires n permits if they are free and there are no waiters, and reports whether it
// did. It never waits. It panics if n is negative, or more than the semaphore has.
func (s *Semaphore) TryAcquire(n int) bool {
	s.check("TryAcquire", n)
	return s.q.tryTake(uint64(n))
}

// Release releases n permits. It panics if n is negative, or if fewer are held. It does not wait.
func (s *Semaphore) Release(n int) {
	s.check("Release", n)
	if !s.q.tryGive(uint64(n), whole-s.size, whole) {
		panic(fmt.Sprintf("activity: Release(%d) of a Semaphore of which fewer permits are held", n))
	}
}

func (s *Semaphore) check(what string, n int) {
	if n < 0 || uint64(n) > s.size {
		panic(fmt.Sprintf("activity: %s(%d) of a Semaphore with %d permits", what, n, s.size))
	}
}
