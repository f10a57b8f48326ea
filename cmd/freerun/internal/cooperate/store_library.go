package cooperate

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A rewritten standard library is a folder of the store with some thousand files, each under its
// path below GOROOT, and a file with the list of these paths, which is read in place of as many
// folders.

// libraryList is the name of the file with the paths of the rewritten files.
const libraryList = "files.json"

// library returns the names of the rewritten files of the standard library in root, by the paths of
// its files, if they are kept.
func (s *store) library(k key, root string) (map[string]string, bool) {
	if s == nil {
		return nil, false
	}
	folder := filepath.Join(s.folder, k.name())
	text, err := os.ReadFile(filepath.Join(folder, libraryList))
	var files []string
	if err != nil || json.Unmarshal(text, &files) != nil {
		return nil, false
	}
	if info, err := os.Stat(folder); err == nil && time.Since(info.ModTime()) > day {
		now := time.Now()
		_ = os.Chtimes(folder, now, now) // if it fails, the folder is made again some day
	}
	kept := make(map[string]string, len(files))
	for _, file := range files {
		kept[filepath.Join(root, file)] = filepath.Join(folder, file)
	}
	return kept, true
}

// keepLibrary keeps the rewritten files of the standard library in root, by their paths, and
// returns their names. It fails if the folder cannot be written; then nothing is kept.
func (s *store) keepLibrary(k key, root string, texts map[string][]byte) (map[string]string, bool) {
	if s == nil {
		return nil, false
	}
	temporary, err := os.MkdirTemp(s.folder, "new-")
	if err != nil {
		return nil, false
	}
	defer os.RemoveAll(temporary) // of no effect once it is renamed
	var files []string
	for path, text := range texts {
		file, inside := strings.CutPrefix(path, filepath.Clean(root)+string(filepath.Separator))
		if !inside {
			return nil, false
		}
		files = append(files, file)
		to := filepath.Join(temporary, file)
		if os.MkdirAll(filepath.Dir(to), 0o755) != nil || os.WriteFile(to, text, 0o644) != nil {
			return nil, false
		}
	}
	slices.Sort(files)
	list, err := json.Marshal(files)
	if err != nil || os.WriteFile(filepath.Join(temporary, libraryList), list, 0o644) != nil {
		return nil, false
	}
	// MkdirTemp makes a folder for its owner only, and another process may have been faster.
	_ = os.Chmod(temporary, 0o755)
	_ = os.Rename(temporary, filepath.Join(s.folder, k.name()))
	return s.library(k, root)
}
