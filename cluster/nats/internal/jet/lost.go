package jet

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Sketch:     servers that do not sync each write may lose what they have acknowledged; then their
//             streams are as they were some time ago, or not there at all
//             a stream numbers what it stores, upwards. So each call notes the last number that the
//             engine has heard of, and what it stores must come behind that
//             when nobody answers for a stream, it looks whether there is one
//             an engine that has found a loss stores nothing any more, and tells the others again
//             and again: who has less to compare with may not find it, and who comes later cannot
// Invariants: W1 The number of a write tells of a loss. What is read may come from a leader that
//             was cut off: that it is older tells nothing.
//             W2 A number that an engine has heard of was stored by a majority: it is that of an
//             answer, of what was read, or of what a checkpoint has.

// losses are what an engine knows of its streams.
type losses struct {
	streams     map[string]*known // by name; it does not change
	connections atomic.Uint64     // how many have ended
	found       atomic.Pointer[error]
	looks       atomic.Bool
	deaf        func() // ends to hear of the losses of others

	mu         sync.Mutex
	closed     bool
	goroutines sync.WaitGroup
}

// lostName is the name of what hears of losses, among the machines: no machine has it.
const lostName = "lost"

// errNobody says that nobody has got a call.
var errNobody = fmt.Errorf("%w: no server has answered for the stream", engine.ErrUncertain)

// known is what an engine knows of a stream.
type known struct {
	last atomic.Uint64 // the last number that was heard of
	kept
}

// hear notes a number of a stream.
func (k *known) hear(seq uint64) {
	for have := k.last.Load(); have < seq; have = k.last.Load() {
		if k.last.CompareAndSwap(have, seq) {
			return
		}
	}
}

// err returns that the servers have lost what was stored; nil if that is not known.
func (l *losses) err() error {
	if err := l.found.Load(); err != nil {
		return *err
	}
	return nil
}

// lose notes that the servers have lost what was stored, and begins to tell that.
func (e *Engine) lose(what string) error {
	err := fmt.Errorf("%w: the servers have lost what they had acknowledged: %s; stop all machines, and restore both streams from a backup; machines that are started again without one go on with what is left, if that fits together", engine.ErrStopped, what)
	if e.losses.found.CompareAndSwap(nil, &err) {
		slog.Error("cluster: this machine stores nothing any more", "error", err)
		e.losses.beside(func() { e.tellLoss(what) })
	}
	return e.losses.err()
}

// beside runs something on a goroutine that close waits for, unless it has been called.
func (l *losses) beside(run func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.goroutines.Go(run)
	}
}

// close waits for what runs beside, once the calls are closed.
func (l *losses) close() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.goroutines.Wait()
}

// tellLoss tells all machines what was lost, until the engine is closed.
func (e *Engine) tellLoss(what string) {
	for {
		_ = e.nc.Publish(e.bus(lostName), append(bytes.Clone(e.id[:]), what...)) // or the next time
		select {
		case <-e.calls.stop:
			return
		case <-time.After(mostCall / 2):
		}
	}
}

// hearLosses hears what other machines have found of the same store, until stop is called.
func (e *Engine) hearLosses() (stop func(), err error) {
	sub, err := e.nc.Subscribe(e.bus(lostName), func(m *nats.Msg) {
		if what, ours := bytes.CutPrefix(m.Data, e.id[:]); ours {
			_ = e.lose(string(what))
		}
	})
	if err != nil {
		return nil, err
	}
	return func() { _ = sub.Unsubscribe() }, nil
}

// call calls the servers, unless they have lost what was stored.
func (e *Engine) call(done func(m *nats.Msg, err error), messages ...*nats.Msg) {
	if err := e.losses.err(); err != nil {
		done(nil, err)
		return
	}
	e.calls.call(func(m *nats.Msg, err error) {
		if err == errNobody {
			e.look()
		}
		done(m, err)
	}, messages...)
}

// noLog stands for a partition where a message is of no log.
const noLog = -1

// write calls the servers to store messages in a stream, all or none, and tells the number of the
// first, which must come behind those that the engine has heard of before (W1). log is the
// partition of whose log it is, or noLog.
func (e *Engine) write(stream string, log int, messages []*nats.Msg, done func(first uint64, err error)) {
	of := e.losses.streams[stream]
	before := of.last.Load()
	e.call(func(m *nats.Msg, err error) {
		a, err := decode(m, err)
		if err != nil {
			done(0, err)
			return
		}
		first := a.Seq - uint64(len(messages)-1) // those of a batch follow each other
		if first <= before {
			done(0, e.lose(fmt.Sprintf("stream %s has stored something as number %d, and had %d before", stream, first, before)))
			return
		}
		of.hear(a.Seq)
		of.keep(messages[len(messages)-1], a.Seq, log, e.losses.connections.Load())
		done(first, nil)
	}, messages...)
}

// look looks whether there are streams.
func (e *Engine) look() {
	if !e.losses.looks.CompareAndSwap(false, true) {
		return
	}
	e.losses.beside(func() {
		defer e.losses.looks.Store(false)
		const mostMissed = 4 // looks: servers that start may not know all streams yet
		missing := ""
		for range mostMissed {
			select {
			case <-e.calls.stop:
				return
			case <-time.After(mostCall / 2):
			}
			if missing = e.missing(); missing == "" {
				return
			}
		}
		_ = e.lose(fmt.Sprintf("there is no stream %s", missing))
	})
}

// missing returns a stream of which a server says that there is none; empty for none.
func (e *Engine) missing() string {
	for _, name := range e.streams() {
		m, err := e.nc.Request("$JS.API.STREAM.INFO."+name, nil, mostCall)
		var got info
		if err == nil && json.Unmarshal(m.Data, &got) == nil && got.Error != nil && got.Error.Code == noStream {
			return name
		}
	}
	return ""
}
