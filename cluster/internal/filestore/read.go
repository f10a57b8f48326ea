//go:build !wasm

package filestore

import (
	"bytes"
	"io"

	bolt "go.etcd.io/bbolt"
)

// getsOfView bounds the Gets of one transaction.
const getsOfView = 256

type get struct {
	key   []byte
	done  func([]byte, error)
	value []byte
	err   error
}

// Get tells the value of a key, as engine.Engine has it: a goroutine of the store reads it, for the
// page may have to come from the disk. The value is the caller's.
func (s *Store) Get(key []byte, done func(value []byte, err error)) {
	s.mu.Lock()
	err := s.refusal()
	if err == nil {
		s.gets = append(s.gets, get{key: key, done: done})
		s.toGet.Signal()
	}
	s.mu.Unlock()
	if err != nil {
		done(nil, err)
	}
}

// serveGets is a reader: it takes Gets that wait, and serves them in one transaction.
func (s *Store) serveGets() {
	var mine []get
	for {
		s.mu.Lock()
		for len(s.gets) == 0 && !s.closed {
			s.toGet.Wait()
		}
		if len(s.gets) == 0 {
			s.mu.Unlock()
			return
		}
		n := min(len(s.gets), getsOfView)
		mine = append(mine[:0], s.gets[:n]...)
		clear(s.gets[:n])
		s.gets = s.gets[n:]
		stopped := s.stopped
		s.mu.Unlock()

		s.lookup(mine, stopped)
		for i := range mine {
			mine[i].done(mine[i].value, mine[i].err)
		}
		clear(mine)
	}
}

// lookup fills in the values of gets, or errors.
func (s *Store) lookup(gets []get, err error) {
	if err == nil {
		err = s.view(nil, func(tx *bolt.Tx) error {
			data, index, err := buckets(tx)
			for i := range gets {
				if err != nil {
					return err
				}
				g := &gets[i]
				// What one key meets is no matter of the next.
				g.err = guarded(nil, func() (err error) {
					g.value, err = valueOf(data, index, g.key)
					return err
				})
			}
			return err
		})
	}
	if err != nil {
		for i := range gets {
			gets[i].value, gets[i].err = nil, err
		}
	}
}

// valueOf is a copy of the value of a key: nil if neither bucket has an entry.
func valueOf(data, index *bolt.Bucket, key []byte) ([]byte, error) {
	if len(key) == 0 {
		return nil, nil
	}
	record, sum := data.Get(key), index.Get(key)
	if record == nil && sum == nil {
		return nil, nil
	}
	value, err := agree(key, record, sum)
	if err != nil {
		return nil, err
	}
	return append(make([]byte, 0, len(value)), value...), nil
}

// Scan calls each with entries, as engine.Engine has it. It waits for the disk, and stops at the
// first entry that is lost. each may Put and Get, but must not wait for them: a Put that enlarges
// a store beyond what is mapped, which is 64 GiB where there is room for that, waits for the Scan,
// and Gets wait for the Put.
func (s *Store) Scan(prefix, after []byte, each func(key, value []byte) error) error {
	return s.scanLost(prefix, after, func(key, value []byte, lost error) error {
		if lost != nil {
			return lost
		}
		return each(key, value)
	})
}

// ScanLost is a Scan that does not stop at an entry that is lost: each is called with its key, as
// far as that is known, and why it is lost. So what is beside it can be looked at.
func (s *Store) ScanLost(prefix []byte, each func(key, value []byte, lost error) error) error {
	return s.scanLost(prefix, nil, each)
}

func (s *Store) scanLost(prefix, after []byte, each func(key, value []byte, lost error) error) error {
	theirs := false
	return s.viewOfCaller(&theirs, func(tx *bolt.Tx) error {
		return scan(tx, prefix, after, func(key, value []byte, lost error) error {
			theirs = true
			err := each(key, value, lost)
			theirs = false
			return err
		})
	})
}

// scan goes through both buckets in step.
func scan(tx *bolt.Tx, prefix, after []byte, each func(key, value []byte, lost error) error) error {
	data, index, err := buckets(tx)
	if err != nil {
		return err
	}
	entries, sums := data.Cursor(), index.Cursor()
	first := prefix
	if after != nil {
		first = append(bytes.Clone(after), 0) // the next one that there may be
	}
	key, record := entries.Seek(first)
	key2, sum := sums.Seek(first)
	for {
		if !bytes.HasPrefix(key, prefix) {
			key, record = nil, nil
		}
		if !bytes.HasPrefix(key2, prefix) {
			key2, sum = nil, nil
		}
		// The lesser key is next. If the keys differ, the other bucket lacks it.
		compared := 0
		switch {
		case key == nil && key2 == nil:
			return nil
		case key2 == nil:
			compared = -1
		case key == nil:
			compared = 1
		default:
			compared = bytes.Compare(key, key2)
		}
		err := error(nil)
		switch {
		case compared < 0:
			_, lost := agree(key, record, nil)
			err = each(key, nil, lost)
		case compared > 0:
			_, lost := agree(key2, nil, sum)
			err = each(key2, nil, lost)
		default:
			value, lost := agree(key, record, sum)
			err = each(key, value, lost)
		}
		if err != nil {
			return err
		}
		if compared <= 0 {
			key, record = entries.Next()
		}
		if compared >= 0 {
			key2, sum = sums.Next()
		}
	}
}

// Backup writes a copy of the store, as it is at one instant, while it is in use, and tells its
// bytes. A file of that content, named like this store's, is a store of the same id. It waits for
// the disk and for w. It copies damage too, which the copy's Open and Scan find.
func (s *Store) Backup(w io.Writer) (n int64, err error) {
	theirs := false
	err = s.viewOfCaller(&theirs, func(tx *bolt.Tx) (err error) {
		n, err = tx.WriteTo(callersWriter{w, &theirs})
		return err
	})
	return n, err
}

// callersWriter notes when the code of the caller runs.
type callersWriter struct {
	w      io.Writer
	theirs *bool
}

func (c callersWriter) Write(p []byte) (int, error) {
	*c.theirs = true
	n, err := c.w.Write(p)
	*c.theirs = false
	return n, err
}

// viewOfCaller is a view on the caller's goroutine, for which Close waits.
func (s *Store) viewOfCaller(theirs *bool, f func(*bolt.Tx) error) error {
	s.mu.Lock()
	err := s.refusal()
	if err == nil {
		s.views.Add(1)
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	defer s.views.Done()
	return s.view(theirs, f)
}

// view calls f with a transaction that reads.
func (s *Store) view(theirs *bool, f func(*bolt.Tx) error) error {
	if err := s.probe(); err != nil {
		return err
	}
	var tx *bolt.Tx
	err := guarded(nil, func() (err error) {
		tx, err = s.db.Begin(false)
		return err
	})
	if err != nil {
		if isPanic(err) {
			s.condemned.Store(true)
			err = s.stop(err)
		}
		return err
	}
	defer func() {
		if !s.condemned.Load() {
			_ = tx.Rollback()
		}
	}()
	return guarded(theirs, func() error { return f(tx) })
}

// probe reads the meta pages before a transaction begins. A fault there would leave bbolt's lock
// held: a file that was cut off, or a disk that is gone, is to be found before.
func (s *Store) probe() error {
	if s.condemned.Load() {
		return s.stop(lost("%s could not be read", s.path))
	}
	var meta [metaEnd]byte
	for page := range int64(2) {
		if _, err := s.file.ReadAt(meta[:], page*s.pageSize); err != nil {
			return s.stop(lost("reading %s: %w", s.path, err))
		}
	}
	return nil
}

// buckets are those of entries.
func buckets(tx *bolt.Tx) (data, index *bolt.Bucket, err error) {
	data, index = tx.Bucket(dataBucket), tx.Bucket(indexBucket)
	if data == nil || index == nil {
		return nil, nil, lost("the file has no entries: a bucket is missing")
	}
	return data, index, nil
}
