//go:build !explore

package freerun

import "sync"

// crowdPool has the crowds of a runtime that are not in use. Not of the process: a channel must not leave the
// bubble of testing/synctest where it was made.
type crowdPool struct{ free sync.Pool }

func (p *crowdPool) take() *crowd {
	if k, _ := p.free.Get().(*crowd); k != nil {
		return k
	}
	return newCrowd(p)
}

func (p *crowdPool) give(k *crowd) { p.free.Put(k) }
