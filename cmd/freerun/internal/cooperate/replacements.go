package cooperate

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"
)

// replacements are modules that the go command is to find in other folders.
type replacements struct {
	work, mod string // the go.work file, if there is one, and the go.mod file
	modules   []replacement
	goMods    map[string]string // go.mod files that modules lack, by the paths where they should be
}

type replacement struct{ path, version, folder string }

// add adds a module. The go command makes up a go.mod file for an old module that has none, but not
// for one that is replaced; so it gets the one that was made up.
func (r *replacements) add(m *packages.Module, folder string) {
	n := replacement{m.Path, m.Version, folder}
	if slices.Contains(r.modules, n) {
		return
	}
	r.modules = append(r.modules, n)
	if _, err := os.Stat(filepath.Join(folder, "go.mod")); errors.Is(err, fs.ErrNotExist) {
		r.goMods[filepath.Join(folder, "go.mod")] = m.GoMod
	}
}

// write writes copies of go.mod and go.sum with the replacements into dir; or of go.work, because
// in a workspace the go command does not accept another go.mod.
func (r *replacements) write(dir string) (Files, error) {
	if r == nil || len(r.modules) == 0 {
		return Files{}, nil
	}
	if r.work != "" && r.work != "off" {
		text, err := r.workspace()
		if err != nil {
			return Files{}, err
		}
		name := filepath.Join(dir, "go.work")
		if err := copySums(name+".sum", r.work+".sum"); err != nil {
			return Files{}, err
		}
		return Files{Env: []string{"GOWORK=" + name}}, os.WriteFile(name, text, 0o644)
	}
	text, err := os.ReadFile(r.mod)
	if err != nil {
		return Files{}, err
	}
	f, err := modfile.Parse(r.mod, text, nil)
	if err != nil {
		return Files{}, err
	}
	for _, m := range r.modules {
		if err := f.AddReplace(m.path, m.version, m.folder, ""); err != nil {
			return Files{}, err
		}
	}
	if text, err = f.Format(); err != nil {
		return Files{}, err
	}
	name := filepath.Join(dir, "go.mod")
	if err := copySums(filepath.Join(dir, "go.sum"), strings.TrimSuffix(r.mod, ".mod")+".sum"); err != nil {
		return Files{}, err
	}
	return Files{Modfile: name}, os.WriteFile(name, text, 0o644)
}

// workspace returns the go.work file with the replacements. Its relative paths become absolute.
func (r *replacements) workspace() ([]byte, error) {
	text, err := os.ReadFile(r.work)
	if err != nil {
		return nil, err
	}
	f, err := modfile.ParseWork(r.work, text, nil)
	if err != nil {
		return nil, err
	}
	dir := filepath.Dir(r.work)
	for _, u := range slices.Clone(f.Use) {
		path := u.Path
		if err := f.DropUse(path); err != nil {
			return nil, err
		}
		if err := f.AddUse(inFolder(dir, filepath.FromSlash(path)), u.ModulePath); err != nil {
			return nil, err
		}
	}
	for _, p := range slices.Clone(f.Replace) {
		if p.New.Version == "" {
			if err := f.AddReplace(p.Old.Path, p.Old.Version, inFolder(dir, filepath.FromSlash(p.New.Path)), ""); err != nil {
				return nil, err
			}
		}
	}
	for _, m := range r.modules {
		if err := f.AddReplace(m.path, m.version, m.folder, ""); err != nil {
			return nil, err
		}
	}
	f.Cleanup()
	return modfile.Format(f.Syntax), nil
}

// copySums copies a file with the sums of modules, if there is one.
func copySums(to, from string) error {
	text, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o644)
}
