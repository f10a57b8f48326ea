package partition

import (
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/enginetest"
)

// TestStore holds that the simulated engine keeps what package engine promises: what is found with
// it is true of others.
func TestStore(t *testing.T) {
	sims := map[string]*sim{}
	enginetest.Log(t, func(_ *testing.T, name string) enginetest.Opened {
		s := sims[name]
		if s == nil {
			s = newSim(1, none)
			s.calm, s.truth = true, nil
			sims[name] = s
		}
		p := &port{store: s.store, node: &node{sim: s}, order: map[int]time.Duration{}}
		e := &stepped{port: p}
		return enginetest.Opened{Log: e, Close: e.close}
	})
}

// stepped is the simulated engine for goroutines: each call lets some time pass.
type stepped struct {
	mu     sync.Mutex
	port   *port
	closed bool
}

func (e *stepped) step(call func()) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return false
	}
	call()
	e.port.sim.until(e.port.sim.now + 2*latest)
	return true
}

func (e *stepped) close() {
	e.step(func() {})
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
}

func (e *stepped) Append(p int, entry []byte, done func(seq uint64, err error)) {
	if !e.step(func() { e.port.Append(p, entry, done) }) {
		done(0, engine.ErrClosed)
	}
}

func (e *stepped) Swap(p int, writes []engine.Write, revision uint64, done func(revision uint64, err error)) {
	e.step(func() { e.port.Swap(p, writes, revision, done) })
}

func (e *stepped) Read(p int, key []byte, done func(value []byte, revision uint64, err error)) {
	if !e.step(func() { e.port.Read(p, key, done) }) {
		done(nil, 0, engine.ErrClosed)
	}
}

func (e *stepped) Scan(p int, prefix []byte, each func(key, value []byte, revision uint64), done func(err error)) {
	if !e.step(func() { e.port.Scan(p, prefix, each, done) }) {
		done(engine.ErrClosed)
	}
}

func (e *stepped) Follow(p int, after uint64, each func(seq uint64, entry []byte), lost func(err error)) (stop func()) {
	var end func()
	e.step(func() { end = e.port.Follow(p, after, each, lost) })
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		end()
	}
}

func (e *stepped) Trim(p int, through uint64) { e.step(func() { e.port.Trim(p, through) }) }
