//go:build !wasm

package transfer

import (
	"errors"
	"fmt"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Logs are a store that machines share, as far as a copy needs it.
type Logs interface {
	engine.Log
	Partitions() int
	Largest() int
	// Last tells the sequence number of the last entry of a log; 0 if it has none.
	Last(p int, done func(seq uint64, err error))
}

// insist makes a call until its outcome is known, and waits for it.
func insist[T any](call func(done func(T, error))) (value T, err error) {
	for end := time.Now().Add(mostWait); ; time.Sleep(pause) {
		value, err = once(call)
		if !errors.Is(err, engine.ErrUncertain) {
			return value, err
		}
		if time.Now().After(end) {
			return value, fmt.Errorf("the store has not answered within %v: %w", mostWait, err)
		}
	}
}

const (
	mostWait = time.Minute
	pause    = 50 * time.Millisecond
)

// once makes a call, and waits for its end.
func once[T any](call func(done func(T, error))) (T, error) {
	type end struct {
		value T
		err   error
	}
	ended := make(chan end, 1)
	call(func(value T, err error) { ended <- end{value, err} })
	e := <-ended
	return e.value, e.err
}

// read reads an entry.
func read(l Logs, p int, key []byte) ([]byte, error) {
	return insist(func(done func([]byte, error)) {
		l.Read(p, key, func(value []byte, _ uint64, err error) { done(value, err) })
	})
}

// scan reads the entries of a partition whose keys begin with prefix, in no order.
func scan(l Logs, p int, prefix string) ([]engine.Write, error) {
	return insist(func(done func([]engine.Write, error)) {
		var found []engine.Write
		l.Scan(p, []byte(prefix), func(key, value []byte, _ uint64) {
			found = append(found, engine.Write{Key: key, Value: value})
		}, func(err error) { done(found, err) })
	})
}

// entry is an entry of a log.
type entry struct {
	seq   uint64
	bytes []byte
}

// follow reads the log of a partition behind a place, up to its last entry.
func follow(l Logs, p int, after uint64) (all []entry, err error) {
	last, err := insist(func(done func(uint64, error)) { l.Last(p, done) })
	if err != nil || last <= after {
		return nil, err
	}
	entries, lost := make(chan entry), make(chan error, 1)
	over := make(chan struct{})
	stop := l.Follow(p, after, func(seq uint64, b []byte) {
		select {
		case entries <- entry{seq, b}:
		case <-over:
		}
	}, func(err error) { lost <- err })
	defer stop()
	defer close(over)
	limit := time.NewTimer(mostWait)
	defer limit.Stop()
	for {
		select {
		case e := <-entries:
			if all = append(all, e); e.seq >= last {
				return all, nil
			}
			limit.Reset(mostWait)
		case err := <-lost:
			return nil, err
		case <-limit.C:
			return nil, fmt.Errorf("the log of partition %d has no entry %d within %v: %w", p, last, mostWait, engine.ErrUncertain)
		}
	}
}
