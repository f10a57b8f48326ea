package cooperate

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"
)

// memory keeps the result of a build for the next one with the same command line and environment.
// While no input of the listing has changed, the next build lists no packages. While only inputs
// have that are not compiled, as files that build tags leave out, it needs no types.
type memory struct {
	Inputs    inputs
	InputsKey string // of Inputs, the same before and after the listing; "" if not known
	Key       string // of all that the rewritten files depend on

	HasActivities bool
	Texts         map[string][]byte
}

// question returns the name of the file with the memory of a build: one for each command line and
// environment, so that a build after a change replaces what is of no use any more.
func (l *loader) question() string {
	k := newKey()
	dir, _ := filepath.Abs(l.Dir)
	k.add(dir, fmt.Sprintf("%q %q %v %v %v %v", l.Patterns, l.Flags, l.Tests, l.GoEnv, l.Overlay, l.Preempted))
	return "build-" + k.name()
}

// key returns the key of all that the rewritten files of the main modules depend on besides what
// the question tells: the sources of all packages but those of the standard library. Files in the
// module cache never change.
func (l *loader) key(roots []*packages.Package) string {
	k := newKey()
	packages.Visit(roots, nil, func(p *packages.Package) {
		if l.isStandard(p) {
			return
		}
		version := ""
		if p.Module != nil {
			version = p.Module.GoVersion
		}
		k.add(p.ID, fmt.Sprint(p.PkgPath, version, l.isOurs(p), p.TypesSizes))
		for _, file := range p.GoFiles {
			if l.isFixed(file) {
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

// isFixed reports whether a file never changes: it is of the standard library or in the module
// cache, or the go command has made it.
func (l *loader) isFixed(file string) bool {
	return l.isBelow(file, "GOROOT") || l.isBelow(file, "GOMODCACHE") || l.isBelow(file, "GOCACHE")
}

// isBelow reports whether a file is in the folder that a variable of `go env` names.
func (l *loader) isBelow(file, variable string) bool {
	folder := l.GoEnv[variable]
	return folder != "" && strings.HasPrefix(file, filepath.Clean(folder)+string(filepath.Separator))
}

// noteListing has the memory know what a listing depended on, and the key of that if it was the
// same before: so nothing has changed meanwhile. What a build depended on before is known if an
// earlier one depended on the same files. So the second build lists once more, and so does the one
// after a change of which folders there are.
func (m *memory) noteListing(l *loader, roots []*packages.Package, earlier inputs, before string) {
	now, known := l.inputs(roots)
	if !known {
		return
	}
	m.Inputs = now
	if reflect.DeepEqual(now, earlier) && now.key(l.texts) == before {
		m.InputsKey = before
	}
}

// recall returns what a build remembered, or nothing.
func (s *store) recall(question string) (m memory) {
	if s == nil {
		return memory{}
	}
	name := filepath.Join(s.folder, question)
	text, err := os.ReadFile(name)
	if err != nil || json.Unmarshal(text, &m) != nil {
		return memory{}
	}
	now := time.Now()
	_ = os.Chtimes(name, now, now) // if it fails, it is made again some day
	return m
}

// remember keeps the result of a build, if it can.
func (s *store) remember(question string, m memory) {
	if s == nil {
		return
	}
	text, err := json.Marshal(m)
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
