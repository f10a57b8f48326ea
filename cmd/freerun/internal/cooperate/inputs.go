package cooperate

import (
	"go/build"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"
)

// inputs are the files that a listing of packages depends on. As long as none has another text,
// the go command lists the same for the same command line and environment. The standard library
// and the module cache are not among them: they do not change.
type inputs struct {
	Files   []string // read, or known to be missing
	Folders []string // whose Go files are read
	Trees   []string // folders that are read with those below them
	Tests   bool     // whether files of tests are read
	Vendor  bool     // whether folders of the name vendor are read in Trees
}

// metaPatterns match packages in folders that do not exist yet, as those with "..." do.
var metaPatterns = []string{"all", "cmd", "std", "tool", "work"}

// trees returns the folders, of those of the modules, in which a pattern can match a package in a
// folder that does not exist yet.
func trees(pattern, dir string, modules []string) []string {
	before, _, isWide := strings.Cut(pattern, "...")
	switch {
	case isWide && (build.IsLocalImport(filepath.ToSlash(pattern)) || filepath.IsAbs(pattern)):
		return []string{InFolder(dir, filepath.Dir(before+"x"))}
	case isWide, slices.Contains(metaPatterns, pattern):
		return modules
	default:
		return nil
	}
}

// inputs returns what a listing depends on, or nothing if that is not known.
func (l *loader) inputs(roots []*packages.Package) (s inputs, known bool) {
	if l.Overlay != nil || strings.Contains(strings.Join(l.Flags, " ")+" "+l.GoEnv["GOFLAGS"], "-modfile") {
		return inputs{}, false
	}
	modules, known := s.addModules(l.GoEnv["GOWORK"], l.GoEnv["GOMOD"])
	packages.Visit(roots, nil, func(p *packages.Package) {
		known = known && len(p.Errors) == 0
		for _, file := range slices.Concat([]string{filepath.Join(p.Dir, "x")}, p.GoFiles, p.IgnoredFiles) {
			if filepath.IsAbs(file) && !l.isFixed(file) {
				s.addFolder(filepath.Dir(file), p.Module)
			}
		}
	})
	dir, err := filepath.Abs(l.Dir)
	for _, pattern := range l.Patterns {
		s.Trees = append(s.Trees, trees(pattern, dir, modules)...)
	}
	// Pattern all has the packages that tests of the main modules import, whatever is compiled.
	s.Tests = l.Tests || slices.Contains(l.Patterns, "all")
	s.Vendor = strings.Contains(strings.Join(l.Patterns, " "), "vendor")
	for _, list := range []*[]string{&s.Files, &s.Folders, &s.Trees} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
	return s, known && err == nil
}

// addFolder adds the folder of a package, and the go.mod that would make it part of another module.
func (s *inputs) addFolder(folder string, m *packages.Module) {
	s.Folders = append(s.Folders, folder)
	if m == nil || m.Dir == "" { // it is in a folder of the name vendor
		return
	}
	for len(folder) > len(m.Dir) && strings.HasPrefix(folder, m.Dir) {
		s.Files = append(s.Files, filepath.Join(folder, "go.mod"))
		folder = filepath.Dir(folder)
	}
}

// addModules adds the files that say which modules there are. It returns the folders of those that
// are not in the module cache. Known is false outside of a module, and where a file has errors.
func (s *inputs) addModules(work, mod string) (folders []string, known bool) {
	if mod == "" || mod == os.DevNull {
		return nil, false
	}
	mains := []string{filepath.Dir(mod)}
	if work != "" && work != "off" {
		parsed, ok := parse(work, modfile.ParseWork)
		if !ok {
			return nil, false
		}
		at := filepath.Dir(work)
		s.Files = append(s.Files, work, work+".sum", filepath.Join(at, "vendor", "modules.txt"))
		mains = nil
		for _, use := range parsed.Use {
			mains = append(mains, InFolder(at, filepath.FromSlash(use.Path)))
		}
		folders = append(folders, local(parsed.Replace, at)...)
	}
	for _, folder := range mains {
		parsed, ok := parse(filepath.Join(folder, "go.mod"), modfile.Parse)
		if !ok {
			return nil, false
		}
		s.Files = append(s.Files, filepath.Join(folder, "go.sum"), filepath.Join(folder, "vendor", "modules.txt"))
		folders = append(append(folders, folder), local(parsed.Replace, folder)...)
	}
	for _, folder := range folders {
		s.Files = append(s.Files, filepath.Join(folder, "go.mod"))
	}
	return folders, true
}

// parse reads a go.mod or go.work file. ok is false where it is missing or has errors.
func parse[T any](name string, parser func(string, []byte, modfile.VersionFixer) (*T, error)) (file *T, ok bool) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, false
	}
	file, err = parser(name, text, nil)
	return file, err == nil
}

// local returns the folders that replace modules, by paths relative to a folder.
func local(replaced []*modfile.Replace, at string) (folders []string) {
	for _, r := range replaced {
		if r.New.Version == "" {
			folders = append(folders, InFolder(at, filepath.FromSlash(r.New.Path)))
		}
	}
	return folders
}

// names returns the names of all these files, also of missing ones, in the same order each time.
func (s *inputs) names() []string {
	names := slices.Clone(s.Files)
	seen := make(map[string]bool)
	add := func(folder string) {
		if seen[folder] {
			return
		}
		seen[folder] = true
		entries, _ := os.ReadDir(folder)
		for _, e := range entries {
			if s.reads(e.Name()) {
				names = append(names, filepath.Join(folder, e.Name()))
			}
		}
	}
	for _, folder := range s.Folders {
		add(folder)
	}
	for _, tree := range s.Trees {
		if physical, err := filepath.EvalSymlinks(tree); err == nil {
			tree = physical // WalkDir would not follow it
		}
		_ = filepath.WalkDir(tree, func(name string, e fs.DirEntry, err error) error {
			switch {
			case err != nil || !e.IsDir():
				return nil
			case name != tree && s.passesOver(e.Name()):
				return fs.SkipDir
			}
			add(name)
			return nil
		})
	}
	return names
}

// reads reports whether the listing depends on the text of a file of that name in a folder.
func (s *inputs) reads(name string) bool {
	isGo := strings.HasSuffix(name, ".go") && (s.Tests || !strings.HasSuffix(name, "_test.go"))
	return isGo || name == "go.mod"
}

// passesOver reports whether patterns with "..." do not match what is in a folder of that name.
func (s *inputs) passesOver(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "vendor" && !s.Vendor
}

// key returns the key of the texts of all files: those that were read, by name, and of others those
// that they have now.
func (s *inputs) key(read map[string][]byte) string {
	k := newKey()
	for _, name := range s.names() {
		text, known := read[name]
		info, err := os.Stat(name)
		switch {
		case err != nil:
			k.add(name, "missing")
		case !info.Mode().IsRegular(): // a folder, or a pipe, where a read may wait for ever
			k.add(name, info.Mode().Type().String())
		case !known:
			text, _ = os.ReadFile(name) // what cannot be read is reported by the go command
			fallthrough
		default:
			k.add(name, " "+string(text)) // the space tells a text from the words above
		}
	}
	return k.name()
}
