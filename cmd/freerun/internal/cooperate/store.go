package cooperate

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

// A store is a folder with what builds remember, see [memory]. Several processes may use it at a
// time: files are complete when they get their names, and do not change.
type store struct{ folder string }

// The rewriter's own source is part of the key, so a rewriter that works differently uses nothing
// that another one has made.
//
//go:embed *.go
var itself embed.FS

var edition = sync.OnceValue(func() string {
	h := sha256.New()
	entries, _ := itself.ReadDir(".")
	for _, e := range entries {
		text, _ := itself.ReadFile(e.Name())
		fmt.Fprintf(h, "%s %d\n%s", e.Name(), len(text), text)
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps { // which list and parse for it
			fmt.Fprintf(h, "%s %s %s\n", m.Path, m.Version, m.Sum)
		}
	}
	return hex.EncodeToString(h.Sum(nil)) + runtime.Version() // whose parser it is
})

// key collects what that depends on which is kept: a build, or the files of an overlay.
type key struct{ hash.Hash }

func newKey() key {
	k := key{sha256.New()}
	k.add(edition(), "")
	return k
}

func (k key) add(name, text string) { fmt.Fprintf(k, "%d %d\n%s%s", len(name), len(text), name, text) }

func (k key) name() string { return hex.EncodeToString(k.Sum(nil)[:20]) }

// openStore returns the store in a folder, or nil, which keeps nothing.
func openStore(folder string) *store {
	if folder == "" || os.MkdirAll(folder, 0o755) != nil {
		return nil
	}
	return &store{folder}
}

const (
	day = 24 * time.Hour
	// unused is the time after which what no build has used is removed.
	unused = 14 * day
)

// trim removes what was not used for long, at most once a day.
func (s *store) trim() {
	if s == nil {
		return
	}
	mark := filepath.Join(s.folder, "trimmed")
	if info, err := os.Stat(mark); err == nil && time.Since(info.ModTime()) < day {
		return
	}
	if os.WriteFile(mark, nil, 0o644) != nil {
		return
	}
	now := time.Now()
	_ = os.Chtimes(mark, now, now)
	entries, _ := os.ReadDir(s.folder)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && e.Type()&os.ModeSymlink == 0 && now.Sub(info.ModTime()) > unused {
			_ = os.RemoveAll(filepath.Join(s.folder, e.Name()))
		}
	}
}
