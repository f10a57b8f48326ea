package cooperate

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"hash"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"
)

// A store keeps rewritten packages of other modules, so that a build reads them and does not make
// them again. It is a folder with a folder for each package, which is named after all that the text
// of its files depends on. Several processes may use it at a time: folders are complete when they
// get their names, and do not change. The store also has what builds remember, see [memory].
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
	return hex.EncodeToString(h.Sum(nil)) + runtime.Version() // whose parser it is
})

// key collects what a package depends on.
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

// get returns the names of the rewritten files of a package, by the paths of its files. Files
// without polls are not among them.
func (s *store) get(k key, paths []string) (map[string]string, bool) {
	if s == nil {
		return nil, false
	}
	folder := filepath.Join(s.folder, k.name())
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, false
	}
	use(folder)
	kept := make(map[string]string, len(entries))
	for _, path := range paths {
		has := func(e os.DirEntry) bool { return e.Name() == filepath.Base(path) }
		if slices.ContainsFunc(entries, has) {
			kept[path] = filepath.Join(folder, filepath.Base(path))
		}
	}
	return kept, true
}

// put keeps the rewritten files of a package, by the paths of its files, and returns their names.
// It fails if the folder cannot be written; then nothing is kept.
func (s *store) put(k key, texts map[string][]byte) (map[string]string, bool) {
	made := s.make(k, func(folder string) bool {
		for path, text := range texts {
			if os.WriteFile(filepath.Join(folder, filepath.Base(path)), text, 0o644) != nil {
				return false
			}
		}
		return true
	})
	if !made {
		return nil, false
	}
	return s.get(k, slices.Collect(maps.Keys(texts)))
}

// make makes the folder of a key, whose files write writes, at once for all who look. It fails if
// write does, and there is no folder then.
func (s *store) make(k key, write func(folder string) bool) bool {
	if s == nil {
		return false
	}
	temporary, err := os.MkdirTemp(s.folder, "new-")
	if err != nil {
		return false
	}
	defer os.RemoveAll(temporary) // of no effect once it is renamed
	if !write(temporary) {
		return false
	}
	// MkdirTemp makes a folder for its owner only, and another process may have been faster.
	_ = os.Chmod(temporary, 0o755)
	_ = os.Rename(temporary, filepath.Join(s.folder, k.name()))
	return true
}

// use notes that a folder is used, so that it is kept.
func use(folder string) {
	if info, err := os.Stat(folder); err == nil && time.Since(info.ModTime()) > day {
		now := time.Now()
		_ = os.Chtimes(folder, now, now) // if it fails, the folder is made again some day
	}
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
