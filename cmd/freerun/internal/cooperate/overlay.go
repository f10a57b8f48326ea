package cooperate

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
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
			to = inFolder(dir, to)
		}
		result[inFolder(dir, from)] = to
	}
	return result, nil
}

func inFolder(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

// Files are the files that make the go command compile what is rewritten.
type Files struct {
	Overlay string   // for the flag -overlay
	Modfile string   // for the flag -modfile; "" if it is not needed
	Env     []string // what to add to the go command's environment
}

// Flags returns the flags for the go command.
func (f Files) Flags() []string {
	flags := []string{"-overlay=" + f.Overlay}
	if f.Modfile != "" {
		flags = append(flags, "-modfile="+f.Modfile)
	}
	return flags
}

// Write writes the rewritten files into dir, which must exist, with an overlay. The overlay puts
// these files, and those that are kept, in the place of the user's, or leaves those out whose text
// is nil, and includes the replacements of the user's own overlay. A file keeps its name, in a
// folder of its own.
func (r *Result) Write(dir string, users map[string]string) (Files, error) {
	files, err := r.replace.write(dir)
	if err != nil {
		return Files{}, err
	}
	files.Overlay, err = r.writeOverlay(dir, users)
	return files, err
}

func (r *Result) writeOverlay(dir string, users map[string]string) (string, error) {
	o := overlay{Replace: make(map[string]string, len(r.Texts)+len(r.Kept)+len(r.Go)+len(r.GoKept)+len(users))}
	maps.Copy(o.Replace, users)
	maps.Copy(o.Replace, r.GoKept)
	maps.Copy(o.Replace, r.Kept)
	if r.replace != nil {
		maps.Copy(o.Replace, r.replace.goMods)
	}
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
		n++
		if err := os.Mkdir(folder, 0o755); err != nil {
			return "", err
		}
		to := filepath.Join(folder, filepath.Base(name))
		if err := os.WriteFile(to, text, 0o644); err != nil {
			return "", err
		}
		o.Replace[name] = to
	}
	text, err := json.Marshal(o)
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, text, 0o644)
}
