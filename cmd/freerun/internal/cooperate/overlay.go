package cooperate

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// overlay is the content of an overlay file of the go command; see `go help build`.
type overlay struct{ Replace map[string]string }

// ReadOverlay reads the user's overlay. Relative paths in it are relative to dir, where the go
// command runs.
func ReadOverlay(file, dir string) (map[string]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var o overlay
	if err := json.Unmarshal(text, &o); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	result := make(map[string]string, len(o.Replace))
	for from, to := range o.Replace {
		if to != "" {
			to = InFolder(dir, to)
		}
		result[InFolder(dir, from)] = to
	}
	return result, nil
}

// InFolder returns the name of a file that may be relative to a folder.
func InFolder(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// Write writes the rewritten files into dir, which must exist, with an overlay, whose name it
// returns. The overlay puts these files in the place of the user's, or leaves those out whose text
// is nil, and includes the replacements of the user's own overlay. A file keeps its name, in a
// folder of its own.
func (r *Result) Write(dir string, users map[string]string) (string, error) {
	return r.write(dir, dir, users)
}

// Keep keeps the files in a folder for good, under a name that tells their content, with an
// overlay, whose name it returns. Several processes may do so at a time.
func (r *Result) Keep(folder string) (string, error) {
	k := newKey()
	for _, texts := range []map[string][]byte{r.Texts, r.Go} {
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			k.add(name, string(texts[name]))
		}
	}
	kept := filepath.Join(folder, "overlay-"+k.name())
	if _, err := os.Stat(kept); err == nil {
		return filepath.Join(kept, overlayName), nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	temporary, err := os.MkdirTemp(folder, "new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temporary) // of no effect once it is renamed
	if _, err := r.write(temporary, kept, nil); err != nil {
		return "", err
	}
	if err := os.Chmod(temporary, 0o755); err != nil { // MkdirTemp makes it for its owner only
		return "", err
	}
	if err := os.Rename(temporary, kept); err != nil {
		if _, exists := os.Stat(kept); exists != nil { // otherwise another process was faster
			return "", err
		}
	}
	return filepath.Join(kept, overlayName), nil
}

const overlayName = "overlay.json"

// write writes the files into dir, which will be called as.
func (r *Result) write(dir, as string, users map[string]string) (string, error) {
	o := overlay{Replace: make(map[string]string, len(r.Texts)+len(r.Go)+len(users))}
	maps.Copy(o.Replace, users)
	texts := make(map[string][]byte, len(r.Texts)+len(r.Go))
	maps.Copy(texts, r.Texts)
	maps.Copy(texts, r.Go)
	n := 0
	for name, text := range texts {
		if text == nil {
			o.Replace[name] = ""
			continue
		}
		folder := filepath.Join(dir, fmt.Sprint(n))
		to := filepath.Join(as, fmt.Sprint(n), filepath.Base(name))
		n++
		if err := os.Mkdir(folder, 0o755); err != nil {
			return "", err
		}
		if err := writeAged(filepath.Join(folder, filepath.Base(name)), text); err != nil {
			return "", err
		}
		o.Replace[name] = to
	}
	text, err := json.Marshal(o)
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, overlayName)
	return file, os.WriteFile(file, text, 0o644)
}

// writeAged writes a file whose time of modification is long ago, and another one for another text.
// The go command reads folders anew that have files of the last two seconds.
func writeAged(name string, text []byte) error {
	if err := os.WriteFile(name, text, 0o644); err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	when := time.Unix(1e9+int64(binary.BigEndian.Uint32(sum[:]))%5e8, 0) // 2001 to 2017
	return os.Chtimes(name, when, when)
}
