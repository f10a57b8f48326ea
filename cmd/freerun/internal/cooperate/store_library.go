package cooperate

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	use(folder)
	kept := make(map[string]string, len(files))
	for _, file := range files {
		kept[filepath.Join(root, file)] = filepath.Join(folder, file)
	}
	return kept, true
}

// keepLibrary keeps the rewritten files of the standard library in root, by their paths, and
// returns their names. It fails if the folder cannot be written; then nothing is kept.
func (s *store) keepLibrary(k key, root string, texts map[string][]byte) (map[string]string, bool) {
	made := s.make(k, func(folder string) bool {
		var files []string
		for path, text := range texts {
			file, inside := strings.CutPrefix(path, filepath.Clean(root)+string(filepath.Separator))
			if !inside {
				return false
			}
			files = append(files, file)
			to := filepath.Join(folder, file)
			if os.MkdirAll(filepath.Dir(to), 0o755) != nil || os.WriteFile(to, text, 0o644) != nil {
				return false
			}
		}
		slices.Sort(files)
		list, err := json.Marshal(files)
		return err == nil && os.WriteFile(filepath.Join(folder, libraryList), list, 0o644) == nil
	})
	if !made {
		return nil, false
	}
	return s.library(k, root)
}
