//go:build !wasm && !windows

package filestore

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// TestMoved holds that a store stops whose file is not where it was: a Put that is done is found by
// the next process.
func TestMoved(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"moved":   func(path string) error { return os.Rename(path, path+".away") },
		"removed": os.Remove,
		"replaced": func(path string) error {
			return errors.Join(os.Rename(path, path+".away"), os.WriteFile(path, []byte("another"), 0o600))
		},
		"in a folder that was moved": func(path string) error {
			return os.Rename(filepath.Dir(path), filepath.Dir(path)+"-away")
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "store")
			s := mustOpen(t, dir, Options{Create: true})
			mustPut(t, s, set("a", "1"))
			if err := change(s.Path()); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				err := wait(s, set("a", "2"))
				if !errors.Is(err, engine.ErrStopped) || !errors.Is(err, engine.ErrStateLost) || !strings.Contains(err.Error(), "put it back") {
					t.Errorf("Put: %v", err)
				}
			}
			if err := s.Close(); !errors.Is(err, engine.ErrStopped) {
				t.Errorf("Close: %v", err)
			}
		})
	}
}
