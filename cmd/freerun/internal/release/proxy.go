package main

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
	modzip "golang.org/x/mod/zip"
)

// sum computes the checksums of all modules, in the order of the requirements. A module's go.sum
// has the checksums of the modules that it requires, and is itself part of its module's checksum.
func (r *repository) sum() error {
	byPath := map[string]*mod{}
	for _, m := range r.modules {
		if err := r.writeSums(m, byPath); err != nil {
			return err
		}
		var err error
		if m.hash, err = r.hashZip(m); err != nil {
			return err
		}
		goMod := r.changed[path.Join(m.dir, "go.mod")]
		m.hashMod, err = dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) {
			return io.NopCloser(bytes.NewReader(goMod)), nil
		})
		if err != nil {
			return err
		}
		byPath[m.path] = m
	}
	return nil
}

// writeSums sets the lines of go.sum for modules of this repository. Indirectly required modules
// have lines, too.
func (r *repository) writeSums(m *mod, known map[string]*mod) error {
	if len(m.siblings) == 0 {
		return nil
	}
	name := path.Join(m.dir, "go.sum")
	text, err := os.ReadFile(r.file(name))
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	lines := slices.DeleteFunc(strings.SplitAfter(string(text), "\n"), func(line string) bool {
		required, _, _ := strings.Cut(line, " ")
		return line == "" || slices.ContainsFunc(r.modules, func(m *mod) bool { return m.path == required })
	})
	for _, s := range m.siblings {
		k := known[s]
		lines = append(lines, s+" "+r.version+" "+k.hash+"\n", s+" "+r.version+"/go.mod "+k.hashMod+"\n")
	}
	slices.Sort(lines)
	r.changed[name] = []byte(strings.Join(lines, ""))
	return nil
}

func (r *repository) hashZip(m *mod) (string, error) {
	f, err := os.CreateTemp("", "release-*.zip")
	if err != nil {
		return "", err
	}
	defer os.Remove(f.Name())
	if err := r.writeZip(f, m); err != nil {
		f.Close()
		return "", err
	}
	if err := f.Close(); err != nil {
		return "", err
	}
	return dirhash.HashZip(f.Name(), dirhash.Hash1)
}

// writeZip writes the zip of a module: its files without those of modules below it.
func (r *repository) writeZip(w io.Writer, m *mod) error {
	var files []modzip.File
	for _, name := range r.names() {
		if r.owner(name) == m {
			files = append(files, source{r, name, strings.TrimPrefix(strings.TrimPrefix(name, m.dir), "/")})
		}
	}
	if !slices.ContainsFunc(files, func(f modzip.File) bool { return f.Path() == "LICENSE" }) {
		// The go command does the same for a module in a folder.
		files = append(files, source{r, "LICENSE", "LICENSE"})
	}
	return modzip.Create(w, module.Version{Path: m.path, Version: r.version}, files)
}

// names returns the files of the release: those on disk, and those that the release makes.
func (r *repository) names() []string {
	names := slices.Clone(r.files)
	for name := range r.changed {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// owner returns the module that a file belongs to, or nil if no module of the workspace has it, as
// with tools.
func (r *repository) owner(name string) *mod {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		if dir == "." {
			dir = ""
		}
		if i := slices.IndexFunc(r.modules, func(m *mod) bool { return m.dir == dir }); i >= 0 {
			return r.modules[i]
		}
		if slices.Contains(r.files, path.Join(dir, "go.mod")) {
			return nil
		}
	}
}

// source is a file of a module's zip: the file on disk, or the content that the release makes of
// it.
type source struct {
	r    *repository
	name string // in the repository
	path string // in the module
}

func (s source) Path() string { return s.path }

func (s source) Lstat() (fs.FileInfo, error) {
	if text, ok := s.r.changed[s.name]; ok {
		return made{path.Base(s.name), int64(len(text))}, nil
	}
	return os.Lstat(s.r.file(s.name))
}

func (s source) Open() (io.ReadCloser, error) {
	if text, ok := s.r.changed[s.name]; ok {
		return io.NopCloser(bytes.NewReader(text)), nil
	}
	return os.Open(s.r.file(s.name))
}

// made is the file information of a file that the release makes.
type made struct {
	name string
	size int64
}

func (m made) Name() string       { return m.name }
func (m made) Size() int64        { return m.size }
func (m made) Mode() fs.FileMode  { return 0o644 }
func (m made) ModTime() time.Time { return time.Time{} }
func (m made) IsDir() bool        { return false }
func (m made) Sys() any           { return nil }

// writeProxy writes the files that the go command requests from a module proxy
// (go.dev/ref/mod#goproxy-protocol).
func (r *repository) writeProxy(dir string) error {
	for _, m := range r.modules {
		escaped, err := module.EscapePath(m.path)
		if err != nil {
			return err
		}
		folder := filepath.Join(dir, filepath.FromSlash(escaped), "@v")
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		info, err := json.Marshal(struct {
			Version string
			Time    time.Time
		}{r.version, time.Now().UTC().Truncate(time.Second)})
		if err != nil {
			return err
		}
		f, err := os.Create(filepath.Join(folder, r.version+".zip"))
		if err != nil {
			return err
		}
		if err := r.writeZip(f, m); err != nil {
			f.Close()
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
		for name, text := range map[string][]byte{
			r.version + ".info": info,
			r.version + ".mod":  r.changed[path.Join(m.dir, "go.mod")],
		} {
			if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
				return err
			}
		}
		if err := addToList(filepath.Join(folder, "list"), r.version); err != nil {
			return err
		}
	}
	return nil
}

// addToList adds a version to a proxy's list, which may have other versions.
func addToList(name, version string) error {
	text, err := os.ReadFile(name)
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	versions := append(strings.Fields(string(text)), version)
	slices.Sort(versions)
	return os.WriteFile(name, []byte(strings.Join(slices.Compact(versions), "\n")+"\n"), 0o644)
}
