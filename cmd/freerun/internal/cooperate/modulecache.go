package cooperate

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// The go command accepts no overlay for files in its module cache, which it takes as never changed.
// So it is told to find the modules with polls in another place (by replacements in a copy of
// go.mod or go.work). That place is a symbolic link to the module cache: the modules are the same,
// and what an overlay says about files behind the link, the go command accepts.

// moduleCache knows the go command's module cache and the link to it.
type moduleCache struct {
	folder  string
	link    string // "" if there can be none; then the modules in the cache have no polls
	trimmed bool   // whether -trimpath is set
	version string // of the go command
	replace *replacements
}

// openModuleCache makes the link, in the folder of the store.
func (l *loader) openModuleCache(s *store) (*moduleCache, error) {
	env := struct{ GOMODCACHE, GOMOD, GOWORK, GOFLAGS, GOVERSION string }{}
	c := exec.Command("go", "env", "-json", "GOMODCACHE", "GOMOD", "GOWORK", "GOFLAGS", "GOVERSION")
	c.Dir, c.Env = l.Dir, l.Env
	text, err := c.Output()
	if err == nil {
		err = json.Unmarshal(text, &env)
	}
	if err != nil {
		return nil, fmt.Errorf("the go command does not tell where its module cache is: %w", err)
	}
	m := &moduleCache{folder: env.GOMODCACHE, version: env.GOVERSION}
	r := &replacements{work: env.GOWORK, mod: env.GOMOD, goMods: make(map[string]string)}
	for _, flag := range append(strings.Fields(env.GOFLAGS), l.Flags...) {
		switch name, value, hasValue := strings.Cut(strings.TrimLeft(flag, "-"), "="); name {
		case "trimpath":
			m.trimmed = !hasValue || value == "true"
		case "modfile":
			r.mod = inFolder(l.Dir, value)
		}
	}
	if s == nil || m.folder == "" {
		return m, nil
	}
	sum := sha256.Sum256([]byte(m.folder))
	link := filepath.Join(s.folder, "modules-"+hex.EncodeToString(sum[:4]))
	if to, err := os.Readlink(link); err != nil || to != m.folder {
		_ = os.Remove(link) // it is not there, or Symlink fails
		_ = os.Symlink(m.folder, link)
		if to, err := os.Readlink(link); err != nil || to != m.folder {
			return m, nil // as on Windows without the right to do it
		}
	}
	m.link, m.replace = link, r
	return m, nil
}

// inside reports whether a file is in the module cache.
func (m *moduleCache) inside(name string) bool {
	return m.folder != "" && strings.HasPrefix(name, m.folder+string(filepath.Separator))
}

// path returns the path by which the go command will know a file.
func (m *moduleCache) path(name string) string {
	if !m.inside(name) {
		return name
	}
	return m.link + name[len(m.folder):]
}

// accepts reports whether the files of a package can be replaced. If they are in the module cache,
// it notes that their module must be replaced.
func (m *moduleCache) accepts(p *packages.Package) bool {
	if !slices.ContainsFunc(p.GoFiles, m.inside) {
		return true
	}
	if m.link == "" || p.Module.Version == "" || !m.inside(p.Module.Dir) {
		return false
	}
	m.replace.add(p.Module, m.path(p.Module.Dir))
	return true
}
