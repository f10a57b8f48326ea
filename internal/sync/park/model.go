//go:build explore

package park

import (
	"context"
	"time"

	"github.com/freerun-go/freerun/internal/verify/memory"
)

// Parker is where one model thread sleeps.
type Parker struct{ token memory.Token }

// New returns a parker without a token.
func New() *Parker { return &Parker{} }

// Park waits for the token and takes it.
func (p *Parker) Park() { p.token.Take(nil) }

// ParkContext is Park until ctx, a [*memory.Context], ends.
func (p *Parker) ParkContext(ctx context.Context) error {
	if p.token.Take(ctx) {
		return nil
	}
	return context.Cause(ctx)
}

// TryConsume takes the token if there is one.
func (p *Parker) TryConsume() bool { return p.token.TryTake() }

// Unpark leaves the token.
func (p *Parker) Unpark() { p.token.Give() }

// Mutex is a lock in the model. The zero value is unlocked.
type Mutex struct {
	begun bool
	free  memory.Token
}

// key returns the token of the lock, which is there from the start. The first caller puts it there,
// which is no step of the model.
func (m *Mutex) key() *memory.Token {
	if !m.begun {
		m.begun = true
		m.free.Preset()
	}
	return &m.free
}

// Lock waits until the lock is free and takes it.
func (m *Mutex) Lock() { m.key().Take(nil) }

// TryLock takes the lock if it is free.
func (m *Mutex) TryLock() bool { return m.key().TryTake() }

// LockTimeout is TryLock for d of 0 or less, and Lock otherwise: time does not pass in the model.
func (m *Mutex) LockTimeout(d time.Duration) bool {
	if d <= 0 {
		return m.TryLock()
	}
	m.Lock()
	return true
}

// Unlock frees the lock. It panics if the lock is free.
func (m *Mutex) Unlock() {
	if !m.key().Give() {
		panic("park: unlock of an unlocked mutex")
	}
}
