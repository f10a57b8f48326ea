//go:build explore

package freerun

import "sync"

// crowdPool gives back what came last, so that the explorer's executions repeat, and a crowd comes to
// another tally as soon as it may.
type crowdPool struct {
	mutex sync.Mutex
	free  []*crowd
}

func (p *crowdPool) take() *crowd {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	top := len(p.free) - 1
	if top < 0 {
		return newCrowd(p)
	}
	k := p.free[top]
	p.free = p.free[:top]
	return k
}

func (p *crowdPool) give(k *crowd) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.free = append(p.free, k)
}
