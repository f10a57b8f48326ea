//go:build !wasm

package filestore

import (
	"os"
	"sync"
	"sync/atomic"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Options are the settings of a store. The zero value opens a store that exists, and syncs each
// transaction.
type Options struct {
	// Create makes a store if the folder is missing or empty. Without it that is ErrStateLost, as
	// a file system that is not mounted looks like an empty folder. A store that exists is opened.
	Create bool
	// ReadOnly is for looking at a store: Put fails with ErrReadOnly. Several may look at once, but
	// not while another has it open for writing.
	ReadOnly bool
	// Sync says when what was put is safe from a loss of power: 0, before it is done; above, by the
	// end of an interval of that length; below, when the system writes it. A process that is killed
	// loses nothing in any case. See the package about what a loss of power does in the last two.
	Sync time.Duration
}

// Store is an engine over one file. Any goroutine may call its methods.
type Store struct {
	// Immutable.
	path     string
	dir      string
	sync     time.Duration
	read     bool // for reading only
	db       *bolt.DB
	file     *os.File // the one that db uses, for it to close
	id       [16]byte
	pageSize int64
	disk     disk
	quit     chan struct{} // closed when the loops are to end
	loops    sync.WaitGroup
	ended    chan struct{} // closed when Close has ended

	// condemned says that a panic may have left locks of db held, so that its methods may wait for
	// ever: none is called any more.
	condemned atomic.Bool
	unsynced  atomic.Bool // something was committed since the last sync, if sync is not 0

	mu      sync.Mutex
	closed  bool
	stopped error // wraps engine.ErrStopped
	views   sync.WaitGroup
	puts    []put
	gets    []get
	enough  int       // so many puts are what the writer waits for; 0 if it does not
	toPut   sync.Cond // of mu: puts is not empty, or closed
	toGet   sync.Cond
	stats   engine.Stats

	gathered chan struct{} // a token once there are enough puts

	// Of the writer alone.
	batch batch
}

var (
	_ engine.Engine   = (*Store)(nil)
	_ engine.Counting = (*Store)(nil)
)

// disk is how a store makes things durable. Tests let it fail.
type disk struct {
	commit func(*bolt.Tx) error
	sync   func(*bolt.DB) error
}

// Stats implements [engine.Counting]. A sync is that of a transaction, with the writing of its
// pages before; with Sync above 0 it is that of an interval.
func (s *Store) Stats() engine.Stats {
	s.mu.Lock()
	stats := s.stats
	s.mu.Unlock()
	if info, err := os.Stat(s.path); err == nil {
		stats.FileSize = info.Size()
	}
	return stats
}

// ID tells the store from any other; a backup has the id of its store.
func (s *Store) ID() [16]byte { return s.id }

// Path is that of the store's file.
func (s *Store) Path() string { return s.path }

// Version is that of the file's format.
func (s *Store) Version() string { return formatVersion }

// refusal is why the store takes no call. The caller has mu.
func (s *Store) refusal() error {
	if s.closed {
		return engine.ErrClosed
	}
	return s.stopped
}

// stop ends the store for writes and reads: what it would show may not be durable.
func (s *Store) stop(cause error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped == nil {
		s.stopped = stoppedBy(cause)
	}
	return s.stopped
}

// start runs the loops.
func (s *Store) start(readers int) {
	s.toPut.L, s.toGet.L = &s.mu, &s.mu
	for range readers {
		s.loops.Go(s.serveGets)
	}
	if !s.read {
		s.loops.Go(s.servePuts)
		if s.sync > 0 {
			s.loops.Go(s.syncOften)
		}
	}
}

// Close ends the store, as engine.Engine has it. It waits for Scans and Backups too, so they must
// not call it. It tells why the store had stopped, if it had. A second Close fails with ErrClosed.
func (s *Store) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		<-s.ended
		return engine.ErrClosed
	}
	s.closed = true
	s.toPut.Broadcast()
	s.toGet.Broadcast()
	s.mu.Unlock()
	defer close(s.ended)
	close(s.quit)
	s.loops.Wait()
	s.views.Wait()

	s.syncNow()
	s.mu.Lock()
	err := s.stopped
	s.mu.Unlock()
	if s.condemned.Load() {
		// bbolt's Close would wait for a lock. The file's end gives up the lock of the file; the
		// mapping stays until the process ends.
		_ = s.file.Close()
		return err
	}
	if closing := s.db.Close(); err == nil {
		err = closing
	}
	if err == nil && !s.read && s.sync != 0 {
		err = removeMark(s.dir)
	}
	return err
}
