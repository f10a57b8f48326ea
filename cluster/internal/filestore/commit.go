//go:build !wasm

package filestore

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"
	bolterrors "go.etcd.io/bbolt/errors"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Bounds of a transaction: they limit the wait for its sync. A Put that is larger has a transaction
// of its own.
const (
	batchWrites = 10_000
	batchBytes  = 16 << 20
)

type put struct {
	writes []engine.Write
	done   func(error)
}

// batch holds the writes of one transaction.
type batch struct {
	all     []engine.Write // in the order of the Puts
	order   []place        // of all
	writes  []engine.Write // sorted by key, one for each
	behind  int            // Puts that waited when the last transaction was done
	records []byte         // memory of what the buckets are given
	sums    bool           // the transactions note the sum of all entries
	sum     uint64         // that of the last transaction
}

// Put stores writes, as engine.Engine has it. A key must have 1 to 32,768 bytes, and a value less
// than 2 GiB. It never waits for the disk. Puts that are committed together fail together: one that
// there is no room for may let others fail that there would be room for.
func (s *Store) Put(writes []engine.Write, done func(error)) {
	if err := s.enqueuePut(writes, done); err != nil {
		done(err)
	}
}

func (s *Store) enqueuePut(writes []engine.Write, done func(error)) error {
	for _, w := range writes {
		if n := len(w.Key); n == 0 || n > bolt.MaxKeySize {
			return fmt.Errorf("a key of %d bytes: the store takes 1 to %d", n, bolt.MaxKeySize)
		}
		if n := len(w.Value); n > bolt.MaxValueSize-checksumSize {
			return fmt.Errorf("a value of %d bytes: the store takes %d", n, bolt.MaxValueSize-checksumSize)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refusal(); err != nil {
		return err
	}
	if s.read {
		return ErrReadOnly
	}
	s.puts = append(s.puts, put{writes, done})
	s.toPut.Signal()
	if len(s.puts) == s.enough {
		s.gathered <- struct{}{} // has room: enough is set once for each that is received
		s.enough = 0
	}
	return nil
}

// servePuts is the writer: it takes all Puts that wait, and commits them together.
func (s *Store) servePuts() {
	var waiting, spare []put
	for {
		s.mu.Lock()
		for len(s.puts) == 0 && !s.closed {
			s.toPut.Wait()
		}
		if len(s.puts) == 0 {
			s.mu.Unlock()
			return
		}
		if len(waiting) > 1 && !s.closed {
			s.gather(len(waiting) + s.batch.behind)
		}
		waiting, s.puts = s.puts, spare[:0]
		s.mu.Unlock()

		for rest := waiting; len(rest) > 0; {
			now := rest[:within(rest)]
			rest = rest[len(now):]
			err := s.commit(now)
			s.batch.empty()
			for _, p := range now {
				p.done(err)
			}
		}
		clear(waiting)
		spare = waiting
	}
}

// gather waits for the next Puts of the callers whose last Puts are done: until most have come, or
// no more come, and not longer than half of the last commit's time. Without that the callers would
// become two halves, each of which waits for the commit of the other. all is how many Puts come if
// each caller has one. The last of them are not waited for: some callers are slower, or have none.
// The caller holds s.mu, which gather unlocks meanwhile.
func (s *Store) gather(all int) {
	end := time.Now().Add(s.stats.LastCommit / 2)
	enough := min(all-all/8, batchWrites)
	pause := time.NewTimer(gatherPause)
	defer pause.Stop()
	for n := 0; n < len(s.puts) && len(s.puts) < enough && time.Now().Before(end); {
		n, s.enough = len(s.puts), enough
		s.mu.Unlock()
		pause.Reset(gatherPause)
		select {
		case <-s.gathered:
		case <-pause.C:
		}
		s.mu.Lock()
	}
	if s.enough = 0; len(s.gathered) > 0 {
		<-s.gathered
	}
}

// gatherPause is how long no Put must have come.
const gatherPause = 100 * time.Microsecond

// within tells how many of puts make a transaction: at least one.
func within(puts []put) int {
	writes, size := 0, 0
	for i, p := range puts {
		writes += len(p.writes)
		for _, w := range p.writes {
			size += len(w.Key) + len(w.Value)
		}
		if i > 0 && (writes > batchWrites || size > batchBytes) {
			return i
		}
	}
	return len(puts)
}

// commit writes puts in one transaction, and tells the error of each of them.
func (s *Store) commit(puts []put) error {
	s.mu.Lock()
	stopped := s.stopped
	s.mu.Unlock()
	if stopped != nil {
		return stopped
	}
	size := s.batch.fill(puts)
	started := time.Now()
	changed, err := s.transact()
	if err != nil {
		if !changed && !isPanic(err) && noRoom(err) {
			return fmt.Errorf("%w: %s: make room and try again: %w", engine.ErrNoSpace, s.path, err)
		}
		return s.stop(fmt.Errorf("writing %s: %w", s.path, err))
	}
	if err := s.isThere(); err != nil {
		return s.stop(err)
	}
	if s.sync != 0 {
		s.unsynced.Store(true)
	}
	took := time.Since(started)

	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Commits++
	s.stats.Writes += uint64(len(s.batch.writes))
	s.stats.Bytes += uint64(size)
	s.stats.LastBatch = len(s.batch.writes)
	s.stats.LargestBatch = max(s.stats.LargestBatch, len(s.batch.writes))
	s.stats.CommitTime += took
	s.stats.LastCommit = took
	s.stats.LongestCommit = max(s.stats.LongestCommit, took)
	s.batch.behind = len(s.puts)
	return nil
}

// fill sorts the writes of puts, since a tree takes them fastest so, and keeps the last of each
// key. It tells their bytes.
func (b *batch) fill(puts []put) (size int) {
	b.all = b.all[:0]
	for _, p := range puts {
		b.all = append(b.all, p.writes...)
	}
	b.sort()
	b.writes = b.writes[:0]
	for i, p := range b.order {
		w := b.all[p.at]
		if i+1 < len(b.order) && bytes.Equal(w.Key, b.all[b.order[i+1].at].Key) {
			continue
		}
		b.writes = append(b.writes, w)
		size += len(w.Key) + len(w.Value)
	}
	return size
}

// empty lets go of what the batch holds.
func (b *batch) empty() {
	clear(b.all)
	clear(b.writes)
}

// transact commits the batch. It tells whether the store may have changed though it failed.
func (s *Store) transact() (changed bool, err error) {
	if err := s.probe(); err != nil {
		return false, err
	}
	var tx *bolt.Tx
	err = guarded(nil, func() (err error) {
		tx, err = s.db.Begin(true)
		return err
	})
	if err != nil {
		if isPanic(err) {
			s.condemned.Store(true)
		}
		return false, err
	}
	id, sum := tx.ID(), uint64(0)
	err = guarded(nil, func() (err error) {
		if sum, err = s.batch.apply(tx); err != nil {
			return errors.Join(err, tx.Rollback())
		}
		defer s.synced(s.sync == 0, time.Now())
		return s.disk.commit(tx)
	})
	if isPanic(err) {
		// The transaction may be open still, and bbolt's lock be held.
		if again := guarded(nil, tx.Rollback); again != nil && !errors.Is(again, bolterrors.ErrTxClosed) {
			s.condemned.Store(true)
		}
		return true, err
	}
	if err != nil {
		return s.latest() != id-1, err
	}
	s.batch.sum = sum
	return false, nil
}

// latest is the number of the last transaction that is valid; 0 if that cannot be told.
func (s *Store) latest() (id int) {
	_ = s.view(nil, func(tx *bolt.Tx) error {
		id = tx.ID()
		return nil
	})
	return id
}

// apply gives the writes to both buckets, and returns the sum of all entries after them.
func (b *batch) apply(tx *bolt.Tx) (sum uint64, err error) {
	data, index, err := buckets(tx)
	if err != nil {
		return 0, err
	}
	sum = b.sum
	size := 0
	for _, w := range b.writes {
		size += checksumSize + len(w.Value)
	}
	records := slices.Grow(b.records[:0], size) // does not move below: bbolt keeps slices of it
	for _, w := range b.writes {
		if w.Value == nil {
			if b.sums {
				sum = change(sum, index.Get(w.Key), nil)
			}
			if err := errors.Join(data.Delete(w.Key), index.Delete(w.Key)); err != nil {
				return 0, err
			}
			continue
		}
		start := len(records)
		records = appendRecord(records, w.Key, w.Value)
		record := records[start:]
		if b.sums {
			sum = change(sum, index.Get(w.Key), record[:checksumSize])
		}
		if err := data.Put(w.Key, record); err != nil {
			return 0, err
		}
		if err := index.Put(w.Key, record[:checksumSize:checksumSize]); err != nil {
			return 0, err
		}
	}
	if cap(records) <= 2*batchBytes {
		b.records = records
	} else {
		b.records = nil
	}
	if b.sums {
		err = putSum(tx, sum)
	}
	return sum, err
}

// synced counts a sync that began at that time, and has just ended, if it was one.
func (s *Store) synced(it bool, began time.Time) {
	if !it {
		return
	}
	took := time.Since(began)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Syncs++
	s.stats.SyncTime += took
	s.stats.LastSync = took
	s.stats.LongestSync = max(s.stats.LongestSync, took)
}

// syncOften makes durable what was committed, each interval.
func (s *Store) syncOften() {
	ticker := time.NewTicker(s.sync)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			s.syncNow()
		case <-s.quit:
			return
		}
	}
}

// syncNow makes durable what was committed since the last sync.
func (s *Store) syncNow() {
	if s.condemned.Load() || !s.unsynced.Swap(false) {
		return
	}
	began := time.Now()
	err := s.disk.sync(s.db)
	s.synced(true, began)
	if err != nil {
		s.stop(fmt.Errorf("syncing %s: %w", s.path, err))
	}
}
