//go:build !explore

package quiesce

import "sync"

// Pool has the Waiters that are not in use. The zero value is an empty pool. Any goroutine may use
// it. A pool belongs to one runtime, not to the process: a channel must not leave the bubble of
// testing/synctest that made it.
type Pool struct {
	free sync.Pool
	// Woken is called when a counter has woken its waiters; nil for nothing. It does not change
	// after the first wait.
	Woken func()
}

func (p *Pool) take() *Waiters {
	if w, _ := p.free.Get().(*Waiters); w != nil {
		return w
	}
	return newWaiters(p)
}

func (p *Pool) give(w *Waiters) { p.free.Put(w) }
