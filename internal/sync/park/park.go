//go:build !explore

package park

import (
	"context"
	"sync"
	"time"
)

// Parker is where one goroutine sleeps. It holds at most one token: Unpark leaves the token and
// Park takes it. Make one with [New]; it may be used again and again. One goroutine at a time
// parks; any goroutine may unpark.
type Parker struct {
	token chan struct{}
}

// New returns a parker without a token.
func New() *Parker { return &Parker{token: make(chan struct{}, 1)} }

// Park waits for the token and takes it. An Unpark that came before is not lost.
func (p *Parker) Park() { <-p.token }

// ParkContext is Park until ctx ends. It returns [context.Cause] then, and a token may have come
// nevertheless, or may come later.
func (p *Parker) ParkContext(ctx context.Context) error {
	done := ctx.Done()
	if done == nil { // waiting for one channel is cheaper than for two
		<-p.token
		return nil
	}
	select {
	case <-p.token:
		return nil
	case <-done:
		return context.Cause(ctx)
	}
}

// TryConsume takes the token if there is one. It never waits.
func (p *Parker) TryConsume() bool {
	select {
	case <-p.token:
		return true
	default:
		return false
	}
}

// Unpark leaves the token, unless there is one already. It never waits.
func (p *Parker) Unpark() {
	select {
	case p.token <- struct{}{}:
	default:
	}
}

// Mutex is a lock for rare paths whose waiting can be bounded. The zero value is unlocked; it must
// not be copied after first use. Where neither a bound nor the explorer matters, sync.Mutex is
// faster.
type Mutex struct {
	once sync.Once
	free chan struct{} // holds one while unlocked
}

func (m *Mutex) key() chan struct{} {
	m.once.Do(func() {
		m.free = make(chan struct{}, 1)
		m.free <- struct{}{}
	})
	return m.free
}

// Lock waits until the lock is free and takes it.
func (m *Mutex) Lock() { <-m.key() }

// TryLock takes the lock if it is free. It never waits for another holder.
func (m *Mutex) TryLock() bool {
	select {
	case <-m.key():
		return true
	default:
		return false
	}
}

// LockTimeout takes the lock if it becomes free within d, and reports whether it did. If d is 0 or
// less it is TryLock.
func (m *Mutex) LockTimeout(d time.Duration) bool {
	if m.TryLock() {
		return true
	}
	if d <= 0 {
		return false
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-m.key():
		return true
	case <-timer.C:
		return false
	}
}

// Unlock frees the lock. It panics if the lock is free.
func (m *Mutex) Unlock() {
	select {
	case m.key() <- struct{}{}:
	default:
		panic("park: unlock of an unlocked mutex")
	}
}
