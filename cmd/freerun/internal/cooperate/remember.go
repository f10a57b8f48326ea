package cooperate

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"
)

// memory is what a build remembers for the next one with the same command line: the rewritten files
// of the main modules. If no source has changed since, the next build needs no types.
type memory struct {
	Key   string // of all that the files depend on
	Texts map[string][]byte
}

// question returns the name of the file with the memory of a build: one for each command line, so
// that a build after a change replaces what is of no use any more.
func (l *loader) question() string {
	k := newKey()
	dir, _ := filepath.Abs(l.Dir)
	k.add(dir, fmt.Sprintf("%q %q %v", l.Patterns, l.Flags, l.Tests))
	return "build-" + k.name()
}

// key returns the key of all that the rewritten files of the main modules depend on: the sources of
// all packages but those of the standard library, and the version of that. Files in the module
// cache never change.
func (l *loader) key(roots []*packages.Package) string {
	k := newKey()
	k.add(l.result.GoVersion, fmt.Sprint(l.exempts))
	packages.Visit(roots, nil, func(p *packages.Package) {
		if p.Module == nil && !isOurs(p) {
			return
		}
		version := ""
		if p.Module != nil {
			version = p.Module.GoVersion
		}
		k.add(p.ID, fmt.Sprint(p.PkgPath, version, isOurs(p), p.TypesSizes))
		for _, file := range p.GoFiles {
			if isCached(p, file) {
				k.add(file, "")
			} else if source, err := l.read(file); err == nil {
				k.add(file, string(source))
			} else {
				k.add(file, err.Error())
			}
		}
	})
	return k.name()
}

// isCached reports whether a file of a package is in the module cache.
func isCached(p *packages.Package, file string) bool {
	m := p.Module
	if m != nil && m.Replace != nil {
		m = m.Replace
	}
	return m != nil && m.Version != "" && strings.Contains(filepath.ToSlash(file), "@"+m.Version+"/")
}

// recall returns what a build remembered, if it still holds.
func (s *store) recall(question, key string) (map[string][]byte, bool) {
	if s == nil {
		return nil, false
	}
	name := filepath.Join(s.folder, question)
	text, err := os.ReadFile(name)
	var m memory
	if err != nil || json.Unmarshal(text, &m) != nil || m.Key != key {
		return nil, false
	}
	now := time.Now()
	_ = os.Chtimes(name, now, now) // if it fails, it is made again some day
	return m.Texts, true
}

// remember keeps the result of a build, if it can.
func (s *store) remember(question, key string, texts map[string][]byte) {
	if s == nil {
		return
	}
	text, err := json.Marshal(memory{key, texts})
	if err != nil {
		return
	}
	f, err := os.CreateTemp(s.folder, "new-")
	if err != nil {
		return
	}
	_, err = f.Write(text)
	if f.Close() != nil || err != nil || os.Rename(f.Name(), filepath.Join(s.folder, question)) != nil {
		_ = os.Remove(f.Name())
	}
}
