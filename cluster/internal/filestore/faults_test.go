//go:build !wasm

package filestore

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

var errDisk = errors.New("the disk has failed")

// TestAFailedCommitStopsTheStore lets a commit fail, or panic, before and after it has happened.
// What was done before is there.
func TestAFailedCommitStopsTheStore(t *testing.T) {
	for name, commit := range map[string]func(tx *bolt.Tx) error{
		"before": func(tx *bolt.Tx) error { return errors.Join(errDisk, tx.Rollback()) },
		"after":  func(tx *bolt.Tx) error { return errors.Join(errDisk, tx.Commit()) },
		"after, for want of room": func(tx *bolt.Tx) error {
			return errors.Join(&fs.PathError{Op: "write", Err: syscall.ENOSPC}, errDisk, tx.Commit())
		},
		"a sync, for want of room": func(tx *bolt.Tx) error {
			return errors.Join(syscall.ENOSPC, errDisk, tx.Rollback())
		},
		"a sync of the file, for want of room": func(tx *bolt.Tx) error {
			return errors.Join(&fs.PathError{Op: "sync", Err: syscall.ENOSPC}, errDisk, tx.Rollback())
		},
		"panic before": func(*bolt.Tx) error { panic(errDisk) },
		"panic after":  func(tx *bolt.Tx) error { tx.Commit(); panic(errDisk) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := mustOpen(t, dir, Options{Create: true})
			mustPut(t, s, set("a", "1"))
			s.disk.commit = commit
			for range 2 {
				err := wait(s, set("a", "2"), set("b", "2"))
				if !errors.Is(err, engine.ErrStopped) {
					t.Errorf("Put: %v, want ErrStopped", err)
				}
				if !errors.Is(err, errDisk) {
					t.Errorf("Put: %v does not wrap its cause", err)
				}
				s.disk.commit = nil // it must not be asked again
			}
			if _, err := read(s, []byte("a")); !errors.Is(err, engine.ErrStopped) {
				t.Errorf("Get: %v, want ErrStopped", err)
			}
			if err := s.Scan(nil, nil, nil); !errors.Is(err, engine.ErrStopped) {
				t.Errorf("Scan: %v, want ErrStopped", err)
			}
			if err := s.Close(); !errors.Is(err, engine.ErrStopped) {
				t.Errorf("Close: %v, want ErrStopped", err)
			}
			got := contents(t, mustOpen(t, dir, Options{}), "")
			old, updated := map[string]string{"a": "1"}, map[string]string{"a": "2", "b": "2"}
			if !maps.Equal(got, old) && !maps.Equal(got, updated) {
				t.Errorf("%v: neither what was before nor what is after", got)
			}
		})
	}
}

// TestAFailedSyncStopsTheStore has the sync of an interval fail, and that of Close.
func TestAFailedSyncStopsTheStore(t *testing.T) {
	dir := t.TempDir()
	failing := make(chan struct{})
	s, err := open(dir, Options{Create: true, Sync: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	s.disk.sync = func(*bolt.DB) error {
		<-failing
		return errDisk
	}
	s.start(1)
	mustPut(t, s, set("a", "1"))
	close(failing)
	for err = nil; err == nil; {
		err = wait(s, set("a", "2"))
	}
	if !errors.Is(err, engine.ErrStopped) || !errors.Is(err, errDisk) {
		t.Errorf("Put: %v, want ErrStopped", err)
	}
	if err := s.Close(); !errors.Is(err, engine.ErrStopped) {
		t.Errorf("Close: %v, want ErrStopped", err)
	}
	if _, err := os.Stat(filepath.Join(dir, markName)); err != nil {
		t.Errorf("the mark: %v", err)
	}

	s, err = open(dir, Options{Sync: -1})
	if err != nil {
		t.Fatal(err)
	}
	s.disk.sync = func(*bolt.DB) error { return errDisk }
	s.start(1)
	mustPut(t, s, set("a", "3"))
	if err := s.Close(); !errors.Is(err, errDisk) {
		t.Errorf("Close: %v, want that of the sync", err)
	}
}

// TestAFileThatIsCutOffWhileOpenHangsNothing cuts the file under a store: with the meta pages, and
// behind them.
func TestAFileThatIsCutOffWhileOpenHangsNothing(t *testing.T) {
	for _, length := range []int64{0, 100, int64(os.Getpagesize()), int64(2 * os.Getpagesize())} {
		for _, first := range []string{"Get", "Put", "Scan", "Close"} {
			t.Run(fmt.Sprint(length, first), func(t *testing.T) {
				dir := t.TempDir()
				s := mustOpen(t, dir, Options{Create: true})
				for i := range 3000 {
					s.Put([]engine.Write{set(fmt.Sprint("key", i), "a value that takes some room")}, func(error) {})
				}
				mustPut(t, s, set("last", "1"))
				if err := os.Truncate(filepath.Join(dir, fileName), length); err != nil {
					t.Fatal(err)
				}
				calls := map[string]func() error{
					"Get":  func() error { _, err := read(s, []byte("key77")); return err },
					"Put":  func() error { return wait(s, set("key77", "2")) },
					"Scan": func() error { return s.Scan(nil, nil, func(_, _ []byte) error { return nil }) },
				}
				use := func(name string) {
					if err := calls[name](); !errors.Is(err, engine.ErrStateLost) && !errors.Is(err, engine.ErrStopped) {
						t.Errorf("%s: %v, want ErrStateLost or ErrStopped", name, err)
					}
				}
				if first != "Close" {
					use(first)
					for name := range calls {
						use(name)
					}
				}
				if err := s.Close(); err != nil && !errors.Is(err, engine.ErrStopped) {
					t.Errorf("Close: %v", err)
				}
				refused(t, dir, Options{}, engine.ErrStateLost)
			})
		}
	}
}
