//go:build !wasm

package filestore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster/internal/child"
	"github.com/freerun-go/freerun/cluster/internal/engine"
)

func TestMain(m *testing.M) { child.Main(m) }

func mustOpen(t testing.TB, dir string, o Options) *Store {
	t.Helper()
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// wait makes a call of a Put that waits.
func wait(s *Store, writes ...engine.Write) error {
	done := make(chan error, 1)
	s.Put(writes, func(err error) { done <- err })
	return <-done
}

func mustPut(t testing.TB, s *Store, writes ...engine.Write) {
	t.Helper()
	if err := wait(s, writes...); err != nil {
		t.Fatal(err)
	}
}

func read(s *Store, key []byte) (value []byte, err error) {
	done := make(chan struct{})
	s.Get(key, func(v []byte, e error) { value, err = v, e; close(done) })
	<-done
	return value, err
}

func mustClose(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func set(key, value string) engine.Write {
	return engine.Write{Key: []byte(key), Value: append([]byte{}, value...)}
}

func unset(key string) engine.Write { return engine.Write{Key: []byte(key)} }

// contents are all entries, by Scan.
func contents(t testing.TB, s *Store, prefix string) map[string]string {
	t.Helper()
	all := map[string]string{}
	last := ""
	err := s.Scan([]byte(prefix), nil, func(key, value []byte) error {
		if string(key) <= last {
			t.Fatalf("Scan: %q after %q", key, last)
		}
		last = string(key)
		all[last] = string(value)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestAStoreKeepsWhatWasPut(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "store")
	s := mustOpen(t, dir, Options{Create: true})
	mustPut(t, s, set("a", "1"), set("b", ""), set("ab", "x"), set("a", "2"), unset("c"))
	mustPut(t, s, set("d", "4"), unset("d"))
	for key, want := range map[string][]byte{"a": []byte("2"), "b": {}, "c": nil, "d": nil, "": nil} {
		if got, err := read(s, []byte(key)); err != nil || !bytes.Equal(got, want) || (got == nil) != (want == nil) {
			t.Errorf("Get(%q): %q, %v, want %q", key, got, err, want)
		}
	}
	id := s.ID()
	mustClose(t, s)
	s = mustOpen(t, dir, Options{Create: true})
	if got := contents(t, s, "a"); !maps.Equal(got, map[string]string{"a": "2", "ab": "x"}) {
		t.Errorf("with prefix a: %v", got)
	}
	if s.ID() != id || id == [16]byte{} {
		t.Errorf("id %x, was %x", s.ID(), id)
	}
	for name, want := range map[string]fs.FileMode{dir: 0o700, filepath.Join(dir, fileName): 0o600} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %v", name, info.Mode(), err, want)
		}
	}
	if stats := s.Stats(); stats.FileSize == 0 || stats.Commits != 0 {
		t.Errorf("%+v", stats)
	}
	stop := errors.New("stop")
	if err := s.Scan(nil, nil, func(_, _ []byte) error { return stop }); err != stop {
		t.Errorf("Scan: %v, want that of each", err)
	}
}

// TestAStoreIsLikeAMap compares a store with a map over random writes, as Get, Scan and a new Open
// see it.
func TestAStoreIsLikeAMap(t *testing.T) {
	for _, sync := range []time.Duration{0, time.Millisecond, -1} {
		seed := rand.Uint64()
		random := rand.New(rand.NewPCG(seed, 0))
		dir := t.TempDir()
		want := map[string]string{}
		for range 4 {
			s := mustOpen(t, dir, Options{Create: true, Sync: sync})
			for range 40 {
				var writes []engine.Write
				for range 1 + random.IntN(50) {
					key := fmt.Sprint(random.IntN(300))
					if random.IntN(4) == 0 {
						writes = append(writes, unset(key))
						delete(want, key)
					} else {
						value := strings.Repeat("v", random.IntN(9000)*random.IntN(2)) + fmt.Sprint(random.Uint64())
						writes = append(writes, set(key, value))
						want[key] = value
					}
				}
				mustPut(t, s, writes...)
			}
			if got := contents(t, s, ""); !maps.Equal(got, want) {
				t.Fatalf("seed %d: Scan differs", seed)
			}
			for key := range 300 {
				got, err := read(s, []byte(fmt.Sprint(key)))
				if value, ok := want[fmt.Sprint(key)]; err != nil || string(got) != value || (got != nil) != ok {
					t.Fatalf("seed %d: key %d: %q, %v", seed, key, got, err)
				}
			}
			mustClose(t, s)
		}
	}
}

func TestAKeyThatNoStoreTakesIsRefusedAlone(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{Create: true})
	for _, key := range []string{"", strings.Repeat("k", 32769)} {
		if err := wait(s, set("with", "it"), set(key, "v")); err == nil || !strings.Contains(err.Error(), "a key of") {
			t.Errorf("a key of %d bytes: %v", len(key), err)
		}
	}
	longest := strings.Repeat("k", 32768)
	mustPut(t, s, set(longest, "v"))
	if got := contents(t, s, ""); len(got) != 1 || got[longest] != "v" {
		t.Errorf("%d entries", len(got))
	}
}

// TestAPutIsNeverSplit has Puts that are larger than a transaction, and the bounds.
func TestAPutIsNeverSplit(t *testing.T) {
	one := put{writes: make([]engine.Write, 1)}
	large := put{writes: make([]engine.Write, batchWrites+1)}
	heavy := put{writes: []engine.Write{{Value: make([]byte, batchBytes)}}}
	for _, c := range []struct {
		puts []put
		want int
	}{
		{[]put{large, one}, 1},
		{[]put{one, large}, 1},
		{[]put{heavy, one}, 2},
		{[]put{heavy, heavy}, 1},
		{slices.Repeat([]put{one}, batchWrites+5), batchWrites},
		{[]put{one, one}, 2},
	} {
		if got := within(c.puts); got != c.want {
			t.Errorf("%d puts: %d, want %d", len(c.puts), got, c.want)
		}
	}
	s := mustOpen(t, t.TempDir(), Options{Create: true, Sync: -1})
	var writes []engine.Write
	for i := range 2*batchWrites + 7 {
		writes = append(writes, engine.Write{Key: binary.BigEndian.AppendUint32(nil, uint32(i)), Value: []byte{1}})
	}
	mustPut(t, s, writes...)
	if stats := s.Stats(); stats.Commits != 1 || stats.LargestBatch != len(writes) || stats.Writes != uint64(len(writes)) {
		t.Errorf("%+v", stats)
	}
}

func TestABackupIsAStore(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{Create: true})
	for i := range 500 {
		s.Put([]engine.Write{set(fmt.Sprint("k", i), strings.Repeat("v", i))}, func(error) {})
	}
	mustPut(t, s, set("last", "one"))
	var copied bytes.Buffer
	n, err := s.Backup(&copied)
	if err != nil || n != int64(copied.Len()) {
		t.Fatal(n, err)
	}
	mustPut(t, s, set("later", "one"))
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, fileName), copied.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	b := mustOpen(t, dir, Options{})
	want := contents(t, s, "")
	delete(want, "later")
	if got := contents(t, b, ""); !maps.Equal(got, want) || b.ID() != s.ID() {
		t.Errorf("%d entries, want %d", len(got), len(want))
	}
	full := errors.New("full")
	if _, err := s.Backup(failingWriter{full}); !strings.Contains(fmt.Sprint(err), "full") {
		t.Errorf("to a writer that fails: %v", err)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// TestAPanicOfTheCallerPasses checks that a function of the caller may panic, and that the store is
// as before.
func TestAPanicOfTheCallerPasses(t *testing.T) {
	s := mustOpen(t, t.TempDir(), Options{Create: true})
	mustPut(t, s, set("a", "1"))
	func() {
		defer func() {
			if p := recover(); p != "mine" {
				t.Errorf("recovered %v", p)
			}
		}()
		s.Scan(nil, nil, func(_, _ []byte) error { panic("mine") })
	}()
	mustPut(t, s, set("a", "2"))
	mustClose(t, s)
}
