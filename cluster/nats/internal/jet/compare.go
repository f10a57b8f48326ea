package jet

import (
	"bytes"
	"errors"
	"fmt"
	"hash/maphash"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Sketch:     when the connection is there again, what the engine has stored last before it ended
//             is compared with what is there: others may have taken the numbers of what was lost
// Invariants: W3 What is there under the number that an entry was stored with is that entry, or
//             newer: anything else says for certain that it was lost. That nothing is there says so
//             where there is one server; else the one that answers may not have it yet (W1).

// kept is what an engine has stored last in a stream: since the connection is there, and before.
type kept struct {
	mu          sync.Mutex
	now, before mine
}

// mine is a message that the engine has stored.
type mine struct {
	subject string
	log     int // the partition of whose log it is; noLog for none
	seq     uint64
	sum     uint64
	at      time.Time
	through uint64 // which connection: how many have ended before
}

var sums = maphash.MakeSeed()

// mostCompared is how old what is compared may be: what was removed keeps its revision for longer.
const mostCompared = markers * time.Second / 4

// keep notes a message that was stored.
func (k *kept) keep(m *nats.Msg, seq uint64, log int, connections uint64) {
	if m.Header.Get(removed) != "" {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.now.through != connections {
		k.before = k.now
	}
	if k.now.through != connections || seq > k.now.seq {
		k.now = mine{m.Subject, log, seq, maphash.Bytes(sums, m.Data), time.Now(), connections}
	}
}

// all returns what is to be compared.
func (k *kept) all() (all []mine) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, m := range []mine{k.before, k.now} {
		if m.seq > 0 && time.Since(m.at) < mostCompared {
			all = append(all, m)
		}
	}
	return all
}

// compares compares each time that the connection is there again, until the calls end.
func (e *Engine) compares(changes chan nats.Status) {
	defer e.nc.RemoveStatusListener(changes)
	for {
		select {
		case <-e.calls.stop:
			return
		case now := <-changes:
			if now == nats.RECONNECTING {
				e.losses.connections.Add(1)
				continue
			}
		}
		for stream, of := range e.losses.streams {
			for _, m := range of.all() {
				e.losses.beside(func() { e.compare(stream, m) })
			}
		}
	}
}

// compare compares a message with what is there, once that can be known.
func (e *Engine) compare(stream string, m mine) {
	const mostTries = 20
	for range mostTries {
		is, err := e.isThere(stream, m)
		switch {
		case errors.Is(err, engine.ErrStopped), errors.Is(err, engine.ErrClosed), is == there:
			return
		case err == nil && (is == another || is == missing && !e.replicated):
			_ = e.lose(fmt.Sprintf("%s has not what this machine has stored there as number %d", m.subject, m.seq))
			return
		}
		select {
		case <-e.calls.stop:
			return
		case <-time.After(mostCall / 4):
		}
	}
}

// presence says what is there in the place of a message.
type presence byte

const (
	missing presence = iota
	there            // it, or what came later
	another
)

// isThere looks for a message in a stream.
func (e *Engine) isThere(stream string, m mine) (is presence, err error) {
	if m.log == noLog {
		value, revision, err := e.wait(func(done func([]byte, uint64, error)) { e.last(stream, m.subject, done) })
		return presenceOf(m, m.subject, value, revision), err
	}
	subject, value, err := e.entryAt(stream, m.seq)
	if err != nil || subject != "" {
		return presenceOf(m, subject, value, m.seq), err
	}
	value, _, err = e.wait(func(done func([]byte, uint64, error)) { e.read(m.log, e.trimmed(m.log), done) })
	if err != nil {
		return missing, err
	}
	if through, err := decodeTrimmed(value); err != nil || through < m.seq {
		return missing, err
	}
	return there, nil
}

// presenceOf compares a message with what is under a number.
func presenceOf(m mine, subject string, value []byte, seq uint64) presence {
	switch {
	case seq < m.seq:
		return missing
	case seq > m.seq, subject == m.subject && maphash.Bytes(sums, value) == m.sum:
		return there
	}
	return another
}

// wait waits for the outcome of a read.
func (e *Engine) wait(read func(done func(value []byte, revision uint64, err error))) (value []byte, revision uint64, err error) {
	done := make(chan struct{})
	read(func(v []byte, r uint64, why error) {
		value, revision, err = bytes.Clone(v), r, why
		close(done)
	})
	<-done
	return value, revision, err
}

// entryAt returns what a stream of logs has under a number, on some server; no subject for nothing.
func (e *Engine) entryAt(stream string, seq uint64) (subject string, value []byte, err error) {
	done := make(chan struct{})
	e.call(func(m *nats.Msg, why error) {
		defer close(done)
		switch {
		case why != nil:
			err = why
		case m.Header.Get("Status") == "404":
		case m.Header.Get("Status") != "":
			err = engine.ErrUncertain
		default:
			subject, value = m.Header.Get("Nats-Subject"), m.Data
		}
	}, &nats.Msg{Subject: "$JS.API.DIRECT.GET." + stream, Data: fmt.Appendf(nil, `{"seq":%d}`, seq)})
	<-done
	return subject, value, err
}
