//go:build !wasm

package filestore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// TestMake holds that a store is made with all that is put into it, or that there is none, and that
// it is made in an empty folder alone.
func TestMake(t *testing.T) {
	dir, n := filepath.Join(t.TempDir(), "store"), 3*1000
	fills := func(put func([]engine.Write) error) error {
		for i := range n {
			if err := put([]engine.Write{{Key: fmt.Append(nil, i), Value: fmt.Append(nil, "value ", i)}}); err != nil {
				return err
			}
			if i == 3 { // nobody finds a store meanwhile
				if _, err := Open(dir, Options{ReadOnly: true}); !errors.Is(err, engine.ErrStateLost) {
					t.Errorf("a store that is being made: %v", err)
				}
			}
		}
		return nil
	}
	if _, err := Make(dir, false, fills); err == nil {
		t.Error("a folder is made that was not asked for")
	}
	broken := errors.New("broken")
	_, err := Make(dir, true, func(put func([]engine.Write) error) error { return errors.Join(fills(put), broken) })
	if entries, _ := os.ReadDir(dir); !errors.Is(err, broken) || len(entries) > 0 {
		t.Errorf("after an error: %v; the folder has %v", err, entries)
	}
	if err := os.WriteFile(filepath.Join(dir, "other"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Make(dir, true, fills); !errors.Is(err, engine.ErrStateLost) {
		t.Errorf("a folder with another file: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "other")); err != nil {
		t.Fatal(err)
	}
	// What a process has left that was killed is no store.
	if err := os.WriteFile(filepath.Join(dir, fileName+draftMark+"x"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	id, err := Make(dir, false, fills)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Make(dir, false, fills); !errors.Is(err, engine.ErrInUse) {
		t.Errorf("a second store: %v", err)
	}
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	found := 0
	err = s.Scan(nil, nil, func(key, value []byte) error {
		if string(value) != "value "+string(key) {
			t.Errorf("%q: %q", key, value)
		}
		found++
		return nil
	})
	if err != nil || found != n || s.ID() != id || id == [16]byte{} {
		t.Errorf("%d entries, %v; its identity is %x, want %x", found, err, s.ID(), id)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Errorf("the folder has %v", entries)
	}
}

// TestMakeTogether holds that of two that make a store in one folder, one does.
func TestMakeTogether(t *testing.T) {
	dir := t.TempDir()
	var inner error
	var id [16]byte
	_, err := Make(dir, false, func(put func([]engine.Write) error) error {
		id, inner = Make(dir, false, func(put func([]engine.Write) error) error {
			return put([]engine.Write{{Key: []byte("a"), Value: []byte("inner")}})
		})
		return put([]engine.Write{{Key: []byte("a"), Value: []byte("outer")}})
	})
	if inner != nil || !errors.Is(err, engine.ErrInUse) {
		t.Errorf("the first that is whole: %v; the other one: %v", inner, err)
	}
	s, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if s.ID() != id {
		t.Error("the store is the other one")
	}
}
