package logsim

import (
	"container/heap"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/enginetest"
)

// TestStore holds that the simulated engine keeps what package engine promises: what is found with
// it is true of others.
func TestStore(t *testing.T) {
	stores := map[string]*Store{}
	enginetest.Log(t, func(_ *testing.T, name string) enginetest.Opened {
		if stores[name] == nil {
			w := &world{random: rand.New(rand.NewPCG(1, 2))}
			stores[name] = New(w, Faults{}, 4)
		}
		s := stores[name]
		e := &stepped{world: s.world.(*world), port: s.Port(s.world)}
		return enginetest.Opened{Log: e, Close: e.close}
	})
}

// world is a world in which nothing goes wrong.
type world struct {
	random *rand.Rand
	now    time.Duration
	count  int
	events events
}

type event struct {
	at time.Duration
	nr int
	f  func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].nr < e[j].nr
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

func (w *world) After(d time.Duration, f func()) {
	w.count++
	heap.Push(&w.events, event{w.now + d, w.count, f})
}
func (w *world) Now() time.Duration   { return w.now }
func (w *world) Random() *rand.Rand   { return w.random }
func (w *world) Happens(float64) bool { return false }

func (w *world) until(end time.Duration) {
	for len(w.events) > 0 && w.events[0].at <= end {
		e := heap.Pop(&w.events).(event)
		w.now = e.at
		e.f()
	}
	w.now = end
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
	e.world.until(e.world.now + 2*Latest)
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
