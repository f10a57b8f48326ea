// Package engine is the seam between durable units and what keeps them: a file, or a simulation.
// What is above knows keys and values; what they mean is its own matter.
package engine

import (
	"errors"
	"time"
)

// Write is an entry to be stored, or to be removed.
type Write struct {
	Key   []byte
	Value []byte // nil removes the entry; a value may be empty
}

// Engine keeps entries: values by keys. Any goroutine may call the methods; none but Scan and Close
// waits. A callback runs on a goroutine of the engine, or on that of the call; it must not wait. An
// engine calls each callback once.
//
// Neither side changes a key or a value after it was handed over.
type Engine interface {
	// Put stores writes: all of them, or none. done is told nil once they are durable, as the
	// engine's settings promise that, or why they are not. Puts take effect in the order of the
	// calls: after a crash those are there that came before some point, and no others; so they
	// are when Get, called after done, looks.
	Put(writes []Write, done func(error))
	// Get tells the value of a key: nil if there is no entry, and not nil if it is empty. It sees
	// each Put that was done before the call.
	Get(key []byte, done func(value []byte, err error))
	// Scan calls each with the entries whose keys begin with prefix, and come behind the key after
	// if that is not nil, in the order of the keys, as they were at one instant, until each returns
	// an error, which Scan returns. The slices hold only until each returns.
	Scan(prefix, after []byte, each func(key, value []byte) error) error
	// Close ends the engine: Puts that were called before are done first, and calls that come
	// later fail with ErrClosed.
	Close() error
}

// Counting is an engine that has figures. One of a simulation need not have any.
type Counting interface {
	// Stats tells the figures so far. Any goroutine may call it; it does not wait for the disk's
	// writes.
	Stats() Stats
}

// Stats are the figures of an engine since it was opened.
type Stats struct {
	Commits, Writes, Bytes          uint64 // Bytes counts keys and values
	LastBatch, LargestBatch         int    // writes of one commit
	CommitTime                      time.Duration
	LastCommit, LongestCommit       time.Duration
	Syncs                           uint64
	SyncTime, LastSync, LongestSync time.Duration
	FileSize                        int64 // 0 if the file cannot be asked
}

// Count counts a commit that is done.
func (s *Stats) Count(writes []Write, took time.Duration) {
	s.Commits++
	s.Writes += uint64(len(writes))
	for _, w := range writes {
		s.Bytes += uint64(len(w.Key) + len(w.Value))
	}
	s.LastBatch, s.LargestBatch = len(writes), max(s.LargestBatch, len(writes))
	s.CommitTime += took
	s.LastCommit, s.LongestCommit = took, max(s.LongestCommit, took)
}

// Errors of engines. An error of an engine wraps one of them if it is of that sort, and says what
// to do.
var (
	// ErrClosed says that the engine has been closed.
	ErrClosed = errors.New("the store is closed")
	// ErrStateLost says that what was stored is not there, or is not what was stored.
	ErrStateLost = errors.New("stored state is lost")
	// ErrNoSpace says that there is no room for what was to be stored.
	ErrNoSpace = errors.New("no space for the store")
	// ErrTooLarge says that something takes more bytes than it may.
	ErrTooLarge = errors.New("too large")
	// ErrStopped says that the store takes no more writes, since it does not know whether the last
	// ones are durable.
	ErrStopped = errors.New("the store has stopped")
	// ErrInUse says that another process, or another engine of this one, has the store.
	ErrInUse = errors.New("the store is in use")
)
