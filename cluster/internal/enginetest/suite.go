package enginetest

import (
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// suite is the store of one test.
type suite struct {
	t    *testing.T
	open func() Opened
	log  Opened
}

// The partitions of the tests: two that a store might take for others, or for each other.
const here, beside = 2, 1

// eitherOf returns one of them, and the other one for the next number.
func eitherOf(i int) int { return []int{here, beside}[i%2] }

const mostWait = 30 * time.Second

// wait returns what comes from a channel.
func wait[T any](t *testing.T, from <-chan T) (x T) {
	t.Helper()
	select {
	case x = <-from:
	case <-time.After(mostWait):
		t.Fatal("nothing has come")
	}
	return x
}

type result struct {
	value []byte
	n     uint64
	err   error
}

func (s *suite) append(p int, entry string) uint64 {
	s.t.Helper()
	done := make(chan result, 1)
	s.log.Append(p, []byte(entry), func(seq uint64, err error) { done <- result{nil, seq, err} })
	r := wait(s.t, done)
	if r.err != nil {
		s.t.Fatal(r.err)
	}
	return r.n
}

func (s *suite) swap(revision uint64, writes ...engine.Write) (uint64, error) {
	s.t.Helper()
	done := make(chan result, 1)
	s.log.Swap(here, writes, revision, func(revision uint64, err error) { done <- result{nil, revision, err} })
	r := wait(s.t, done)
	return r.n, r.err
}

func (s *suite) swapAll(revisions []uint64, writes ...engine.Write) (uint64, error) {
	s.t.Helper()
	done := make(chan result, 1)
	s.log.SwapAll(here, writes, revisions, func(first uint64, err error) { done <- result{nil, first, err} })
	r := wait(s.t, done)
	return r.n, r.err
}

func (s *suite) read(key string) ([]byte, uint64) {
	s.t.Helper()
	done := make(chan result, 1)
	s.log.Read(here, []byte(key), func(value []byte, revision uint64, err error) { done <- result{value, revision, err} })
	r := wait(s.t, done)
	if r.err != nil {
		s.t.Fatal(r.err)
	}
	return r.value, r.n
}

func write(key, value string) engine.Write {
	return engine.Write{Key: []byte(key), Value: []byte(value)}
}

func removal(key string) engine.Write { return engine.Write{Key: []byte(key)} }

// followed holds an entry that a follower was handed.
type followed struct {
	seq   uint64
	entry string
}

func (s *suite) follow(p int, after uint64) (each <-chan followed, lost <-chan error, stop func()) {
	entries, losses := make(chan followed, 10000), make(chan error, 1)
	stop = s.log.Follow(p, after, func(seq uint64, entry []byte) { entries <- followed{seq, string(entry)} }, func(err error) { losses <- err })
	return entries, losses, stop
}
