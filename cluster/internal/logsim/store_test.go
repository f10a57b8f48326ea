package logsim

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/enginetest"
	"github.com/freerun-go/freerun/internal/vclock"
)

// TestStore holds that the simulated engine keeps what package engine promises: what is found with
// it is true of others.
func TestStore(t *testing.T) {
	stores := map[string]*Store{}
	enginetest.Log(t, func(_ *testing.T, name string) enginetest.Opened {
		if stores[name] == nil {
			stores[name] = New(newWorld(), Faults{}, 4)
		}
		s := stores[name]
		e := &stepped{world: s.world.(*world), port: s.Port(s.world)}
		return enginetest.Opened{Log: e, Close: e.close}
	})
}

// world is a world in which nothing goes wrong.
type world struct {
	random *rand.Rand
	clock  *vclock.Clock
	began  time.Time
}

func newWorld() *world {
	clock := vclock.New(nil)
	return &world{random: rand.New(rand.NewPCG(1, 2)), clock: clock, began: clock.Now()}
}

func (w *world) After(d time.Duration, f func()) { w.clock.AfterFunc(d, f) }
func (w *world) Now() time.Duration              { return w.clock.Now().Sub(w.began) }
func (w *world) Random() *rand.Rand              { return w.random }
func (w *world) Happens(float64) bool            { return false }

// pass lets a while pass.
func (w *world) pass(d time.Duration) {
	over := false
	w.After(d, func() { over = true })
	for !over {
		w.clock.Advance()
	}
}

// stepped is the simulated engine for goroutines: each call lets some time pass.
type stepped struct {
	mu     sync.Mutex
	world  *world
	port   *Port
	closed bool
}

func (e *stepped) step(call func()) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return false
	}
	call()
	e.world.pass(2 * Latest)
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

func (e *stepped) SwapAll(p int, writes []engine.Write, revisions []uint64, done func(first uint64, err error)) {
	e.step(func() { e.port.SwapAll(p, writes, revisions, done) })
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
