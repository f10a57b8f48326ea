//go:build !wasm

package filestore

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// refused opens a store that cannot be opened, and checks the error.
func refused(t *testing.T, dir string, o Options, want error, words ...string) {
	t.Helper()
	s, err := Open(dir, o)
	if err == nil {
		s.Close()
		t.Fatal("opened")
	}
	if want != nil && !errors.Is(err, want) {
		t.Errorf("%v, want %v", err, want)
	}
	for _, word := range append(words, dir) {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%v does not say %q", err, word)
		}
	}
}

func TestAMissingStoreIsLostState(t *testing.T) {
	dir := t.TempDir()
	refused(t, dir, Options{}, engine.ErrStateLost, "no store", "Create")
	refused(t, dir, Options{Create: true, ReadOnly: true}, engine.ErrStateLost, "no store")
	refused(t, filepath.Join(dir, "missing"), Options{}, engine.ErrStateLost, "no store")
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, dir, Options{Create: true}, engine.ErrStateLost, "other", "folder of its own")
	refused(t, other, Options{Create: true}, nil)
}

func TestTheRootOfAFileSystemTakesAStore(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "lost+found"), 0o700); err != nil {
		t.Fatal(err)
	}
	mustClose(t, mustOpen(t, dir, Options{Create: true}))
}

func TestAFileThatIsNoStoreIsRefused(t *testing.T) {
	dir := t.TempDir()
	for _, content := range []string{"", "hello", strings.Repeat("not a store. ", 10_000)} {
		write(t, dir, []byte(content))
		refused(t, dir, Options{}, engine.ErrStateLost)
		refused(t, dir, Options{Create: true}, engine.ErrStateLost)
	}
}

// byBolt changes the file as another program would.
func byBolt(t *testing.T, dir string, change func(tx *bolt.Tx) error) {
	t.Helper()
	db, err := bolt.Open(filepath.Join(dir, fileName), 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		err = db.Update(change)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestAStoreOfAnotherProgramOrVersionIsRefused(t *testing.T) {
	dir := t.TempDir()
	byBolt(t, dir, func(tx *bolt.Tx) error {
		_, err := tx.CreateBucket([]byte("theirs"))
		return err
	})
	refused(t, dir, Options{Create: true}, engine.ErrStateLost, "another program's")

	dir = t.TempDir()
	mustClose(t, mustOpen(t, dir, Options{Create: true}))
	byBolt(t, dir, func(tx *bolt.Tx) error {
		return tx.Bucket(aboutBucket).Put(versionKey, appendRecord(nil, versionKey, []byte("2")))
	})
	refused(t, dir, Options{}, nil, `version "2"`, "newer")
	byBolt(t, dir, func(tx *bolt.Tx) error { return tx.Bucket(aboutBucket).Delete(versionKey) })
	refused(t, dir, Options{}, engine.ErrStateLost, "version")
}

// TestAFirstStartMayBeCutShort has drafts of processes that were killed while they made a store.
func TestAFirstStartMayBeCutShort(t *testing.T) {
	dir := t.TempDir()
	cut := func() {
		for n := range 2 {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(fileName, draftMark, n)), []byte("half"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	alone := func() {
		if files, err := os.ReadDir(dir); err != nil || len(files) != 1 || files[0].Name() != fileName {
			t.Errorf("%v, %v", files, err)
		}
	}
	cut()
	refused(t, dir, Options{}, engine.ErrStateLost, "no store", "Create")
	s := mustOpen(t, dir, Options{Create: true})
	mustPut(t, s, set("a", "1"))
	alone()
	mustClose(t, s)
	cut()
	s = mustOpen(t, dir, Options{})
	if v, err := read(s, []byte("a")); string(v) != "1" || err != nil {
		t.Error(v, err)
	}
	alone()
}

// TestOneOfManyMakesTheStore has goroutines that open a new store at once: one has it, and the
// others are told that it is in use.
func TestOneOfManyMakesTheStore(t *testing.T) {
	for range 20 {
		dir := t.TempDir()
		var opened atomic.Int32
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				s, err := Open(dir, Options{Create: true})
				switch {
				case err == nil:
					opened.Add(1)
					t.Cleanup(func() { s.Close() })
				case !errors.Is(err, engine.ErrInUse):
					t.Error(err)
				}
			})
		}
		all.Wait()
		if opened.Load() > 1 {
			t.Errorf("%d have opened it", opened.Load())
		}
		s, err := Open(dir, Options{})
		if opened.Load() == 1 && !errors.Is(err, engine.ErrInUse) {
			t.Error(err)
		}
		if err == nil {
			mustClose(t, s) // each had met the check of another
		}
		if files, _ := os.ReadDir(dir); len(files) != 1 {
			t.Errorf("%v", files)
		}
	}
}

func TestAStoreIsOpenOnce(t *testing.T) {
	dir := t.TempDir()
	s := mustOpen(t, dir, Options{Create: true})
	mustPut(t, s, set("a", "1"))
	refused(t, dir, Options{Create: true}, engine.ErrInUse)
	refused(t, dir, Options{ReadOnly: true}, engine.ErrInUse)
	mustClose(t, s)
	one, two := mustOpen(t, dir, Options{ReadOnly: true}), mustOpen(t, dir, Options{ReadOnly: true})
	refused(t, dir, Options{}, engine.ErrInUse)
	for _, s := range []*Store{one, two} {
		if v, err := read(s, []byte("a")); string(v) != "1" || err != nil {
			t.Error(v, err)
		}
		if err := wait(s, set("a", "2")); !errors.Is(err, ErrReadOnly) {
			t.Errorf("Put: %v, want ErrReadOnly", err)
		}
	}
}

func TestACallAfterCloseFails(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{Create: true})
	mustClose(t, s)
	_, get := read(s, []byte("a"))
	_, backup := s.Backup(nil)
	for name, err := range map[string]error{
		"Put": wait(s, set("a", "1")), "Get": get, "Backup": backup, "Close": s.Close(), "Scan": s.Scan(nil, nil, nil),
	} {
		if !errors.Is(err, engine.ErrClosed) {
			t.Errorf("%s: %v, want ErrClosed", name, err)
		}
	}
}

// TestALossOfPowerIsLookedInto has a store that was not synced when the machine stopped: each entry
// is checked then, and only then.
func TestALossOfPowerIsLookedInto(t *testing.T) {
	for _, sync := range []time.Duration{0, time.Hour, -1} {
		dir := t.TempDir()
		mark := filepath.Join(dir, markName)
		s := mustOpen(t, dir, Options{Create: true, Sync: sync})
		if _, err := os.Stat(mark); (err == nil) != (sync != 0) {
			t.Errorf("Sync %v: the mark: %v", sync, err)
		}
		mustPut(t, s, set("a", "1"), set("b", "2"))
		mustClose(t, s)
		if _, err := os.Stat(mark); err == nil {
			t.Errorf("Sync %v: the mark is there after Close", sync)
		}
		if sync == 0 {
			continue
		}

		stopped := func() {
			if err := os.WriteFile(mark, []byte("another boot"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		stopped()
		s = mustOpen(t, dir, Options{Sync: sync})
		if got := contents(t, s, ""); !maps.Equal(got, map[string]string{"a": "1", "b": "2"}) {
			t.Error(got)
		}
		mustClose(t, s)

		byBolt(t, dir, func(tx *bolt.Tx) error { return tx.Bucket(indexBucket).Delete([]byte("b")) })
		mustClose(t, mustOpen(t, dir, Options{Sync: sync}))
		stopped()
		refused(t, dir, Options{Sync: sync}, engine.ErrStateLost, "has stopped", `"b"`)
		refused(t, dir, Options{Sync: sync, ReadOnly: true}, engine.ErrStateLost, "has stopped", `"b"`)
	}
}

// TestAnOldStateIsFoundAfterALossOfPower has entries that agree with their checksums, and are not
// those of the newest transaction.
func TestAnOldStateIsFoundAfterALossOfPower(t *testing.T) {
	for name, c := range map[string]struct {
		change func(tx *bolt.Tx) error
		want   string
	}{
		"without the sum": {func(tx *bolt.Tx) error { return tx.Bucket(aboutBucket).Delete(sumKey) }, "is missing"},
		"by a transaction that noted none": {func(tx *bolt.Tx) error {
			return errors.Join(tx.Bucket(dataBucket).Delete([]byte("b")), tx.Bucket(indexBucket).Delete([]byte("b")))
		}, "is of transaction"},
		"an entry is missing": {func(tx *bolt.Tx) error {
			_, sum, err := sumOf(tx)
			return errors.Join(err, tx.Bucket(dataBucket).Delete([]byte("b")), tx.Bucket(indexBucket).Delete([]byte("b")), putSum(tx, sum))
		}, "should be"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := mustOpen(t, dir, Options{Create: true, Sync: time.Hour})
			mustPut(t, s, set("a", "1"), set("b", "2"), set("c", "3"))
			mustPut(t, s, unset("c"), set("a", "4"), unset("d"))
			mustClose(t, s)
			stopped := func() {
				if err := os.WriteFile(filepath.Join(dir, markName), []byte("another boot"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			stopped()
			s = mustOpen(t, dir, Options{Sync: time.Hour}) // the sum was right
			mustPut(t, s, set("a", "5"))
			mustClose(t, s)
			byBolt(t, dir, c.change)
			stopped()
			refused(t, dir, Options{}, engine.ErrStateLost, "has stopped", c.want)
		})
	}
}

// TestBucketsThatDisagreeAreLostState has each way in which they may.
func TestBucketsThatDisagreeAreLostState(t *testing.T) {
	for name, change := range map[string]func(data, index *bolt.Bucket) error{
		"gone from the data":  func(data, _ *bolt.Bucket) error { return data.Delete([]byte("b")) },
		"gone from the index": func(_, index *bolt.Bucket) error { return index.Delete([]byte("b")) },
		"another value": func(data, _ *bolt.Bucket) error {
			return data.Put([]byte("b"), append(data.Get([]byte("b")), 0))
		},
		"an old value": func(data, _ *bolt.Bucket) error {
			return data.Put([]byte("b"), appendRecord(nil, []byte("b"), []byte("old")))
		},
		"no checksum": func(data, _ *bolt.Bucket) error { return data.Put([]byte("b"), nil) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := mustOpen(t, dir, Options{Create: true})
			mustPut(t, s, set("a", "1"), set("b", "2"), set("c", "3"))
			mustClose(t, s)
			byBolt(t, dir, func(tx *bolt.Tx) error {
				return change(tx.Bucket(dataBucket), tx.Bucket(indexBucket))
			})
			s = mustOpen(t, dir, Options{})
			says := func(err error) {
				t.Helper()
				if !errors.Is(err, engine.ErrStateLost) || !strings.Contains(err.Error(), `"b"`) {
					t.Errorf("%v, want ErrStateLost of b", err)
				}
			}
			_, err := read(s, []byte("b"))
			says(err)
			for _, prefix := range []string{"", "b"} {
				says(s.Scan([]byte(prefix), nil, func(key, _ []byte) error {
					if string(key) != "a" {
						return fmt.Errorf("it told %q", key)
					}
					return nil
				}))
			}
			for key, want := range map[string]string{"a": "1", "c": "3"} {
				if got, err := read(s, []byte(key)); string(got) != want || err != nil {
					t.Errorf("%q: %q, %v", key, got, err)
				}
			}
			mustPut(t, s, set("b", "again"))
			if got := contents(t, s, ""); got["b"] != "again" || len(got) != 3 {
				t.Errorf("after another Put: %v", got)
			}
		})
	}
}
