//go:build explore

package quiesce

import "sync"

// Pool takes the place of the real pool in explorations. It hands out the Waiters that came last.
// So the explorer's executions repeat, and Waiters come to another counter as soon as possible.
type Pool struct {
	Woken func()
	mutex sync.Mutex
	free  []*Waiters
	made  int // Waiters, those in use included
}

func (p *Pool) take() *Waiters {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	top := len(p.free) - 1
	if top < 0 {
		p.made++
		return newWaiters(p)
	}
	w := p.free[top]
	p.free = p.free[:top]
	return w
}

func (p *Pool) give(w *Waiters) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.free = append(p.free, w)
}
