package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// repository is the input of a release: the modules of go.work, with the files as the release has
// them.
type repository struct {
	root    string
	version string
	modules []*mod            // each after the modules that it requires
	work    []byte            // go.work of the release
	files   []string          // all files that git does not ignore; slash-separated, from the root
	changed map[string][]byte // files that differ from those on disk, by the same names
}

// mod is one module.
type mod struct {
	dir      string // from the root; "" is the root module
	path     string
	siblings []string // paths of the modules of this repository that it requires
	hash     string   // of its zip; hashMod of its go.mod
	hashMod  string
}

// read finds the modules and sets the version in their go.mod files and in go.work, in memory.
func read(root, version string) (*repository, error) {
	if module.CanonicalVersion(version) != version || semver.Major(version) != "v0" && semver.Major(version) != "v1" {
		return nil, fmt.Errorf("%q is no version of these modules; one looks like v0.2.0", version)
	}
	r := &repository{root: root, version: version, changed: map[string][]byte{}}
	listed, err := r.git("ls-files", "--cached", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(listed, "\x00"), "\x00") {
		// git lists tracked files that are deleted on disk, too.
		if _, err := os.Lstat(r.file(name)); err == nil {
			r.files = append(r.files, name)
		}
	}
	if err := r.readWork(); err != nil {
		return nil, err
	}
	return r, r.order()
}

// readWork reads go.work and the go.mod of every module that it uses.
func (r *repository) readWork() error {
	text, err := os.ReadFile(r.file("go.work"))
	if err != nil {
		return err
	}
	work, err := modfile.ParseWork("go.work", text, nil)
	if err != nil {
		return err
	}
	files := map[string]*modfile.File{}
	for _, use := range work.Use {
		dir := strings.TrimPrefix(path.Clean(use.Path), ".")
		name := path.Join(dir, "go.mod")
		text, err := os.ReadFile(r.file(name))
		if err != nil {
			return err
		}
		f, err := modfile.Parse(name, text, nil)
		if err != nil {
			return err
		}
		if len(f.Replace) > 0 {
			return fmt.Errorf("%s replaces %s, which has no effect in modules that require this one; replace in go.work", name, f.Replace[0].Old.Path)
		}
		files[f.Module.Mod.Path] = f
		r.modules = append(r.modules, &mod{dir: dir, path: f.Module.Mod.Path})
	}
	for _, m := range r.modules {
		f := files[m.path]
		for _, require := range f.Require {
			if files[require.Mod.Path] == nil {
				continue
			}
			m.siblings = append(m.siblings, require.Mod.Path)
			if err := f.AddRequire(require.Mod.Path, r.version); err != nil {
				return err
			}
		}
		if r.changed[path.Join(m.dir, "go.mod")], err = f.Format(); err != nil {
			return err
		}
	}
	return r.replaceInWork(work)
}

// replaceInWork lets the folder of each module replace its new version, and drops the old version.
func (r *repository) replaceInWork(work *modfile.WorkFile) error {
	for _, m := range r.modules {
		for _, old := range work.Replace {
			if old.Old.Path == m.path {
				if err := work.DropReplace(m.path, old.Old.Version); err != nil {
					return err
				}
			}
		}
		if err := work.AddReplace(m.path, r.version, "./"+m.dir, ""); err != nil {
			return err
		}
	}
	work.SortBlocks()
	work.Cleanup()
	r.work = modfile.Format(work.Syntax)
	return nil
}

// order sorts the modules so that each comes after the modules that it requires.
func (r *repository) order() error {
	depth := map[string]int{}
	for range r.modules {
		for _, m := range r.modules {
			for _, s := range m.siblings {
				depth[m.path] = max(depth[m.path], depth[s]+1)
			}
		}
	}
	slices.SortStableFunc(r.modules, func(a, b *mod) int { return cmp.Compare(depth[a.path], depth[b.path]) })
	if last := r.modules[len(r.modules)-1]; depth[last.path] >= len(r.modules) {
		return fmt.Errorf("%s requires itself by way of others: there is no order in which to make checksums", last.path)
	}
	return nil
}

// file returns the path on disk of a file of the repository.
func (r *repository) file(name string) string { return filepath.Join(r.root, filepath.FromSlash(name)) }

// git runs git in the repository and returns what it printed.
func (r *repository) git(args ...string) (string, error) {
	c := exec.Command("git", args...)
	c.Dir = r.root
	out, err := c.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(string(exit.Stderr)))
	}
	return string(out), err
}
