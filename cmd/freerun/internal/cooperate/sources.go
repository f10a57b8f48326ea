package cooperate

import (
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/tools/go/packages"
)

// sources are the files that a listing of packages depends on. As long as none has another text,
// the go command lists the same for the same command line and environment. The standard library
// and the module cache are not among them: they do not change.
type sources struct {
	Files   []string // read, or known to be missing
	Folders []string // whose Go files are read
	Trees   []string // folders that are read with those below them
	Tests   bool     // whether files of tests are read
}

// trees returns the folders, of those of the modules, in which a pattern can match a package in a
// folder that does not exist yet.
func trees(pattern, dir string, modules []string) []string {
	before, _, isWide := strings.Cut(pattern, "...")
	switch {
	case isWide && (strings.HasPrefix(pattern, ".") || filepath.IsAbs(pattern)):
		return []string{inFolder(dir, filepath.Dir(before+"x"))}
	case isWide, slices.Contains([]string{"all", "cmd", "std", "tool", "work"}, pattern):
		return modules
	default:
		return nil
	}
}

// sources returns what a listing depends on, or nothing if that is not known.
func (l *loader) sources(roots []*packages.Package) (s sources, known bool) {
	if l.Overlay != nil || strings.Contains(strings.Join(l.Flags, " ")+" "+l.GoEnv["GOFLAGS"], "-modfile") {
		return sources{}, false
	}
	s.Tests = l.Tests
	modules, known := s.addModules(l.GoEnv["GOWORK"], l.GoEnv["GOMOD"])
	packages.Visit(roots, nil, func(p *packages.Package) {
		known = known && len(p.Errors) == 0
		if p.Module == nil && !isOurs(p) || strings.HasSuffix(p.ID, ".test") {
			return // of Go, or made by the go command
		}
		for _, file := range slices.Concat(p.GoFiles, p.IgnoredFiles) {
			if !isCached(p, file) {
				s.Folders = append(s.Folders, filepath.Dir(file))
			}
		}
	})
	slices.Sort(s.Folders)
	s.Folders = slices.Compact(s.Folders)
	dir, err := filepath.Abs(l.Dir)
	for _, pattern := range l.Patterns {
		s.Trees = append(s.Trees, trees(pattern, dir, modules)...)
	}
	return s, known && err == nil
}

// addModules adds the files that say which modules there are. It returns the folders of those that
// are not in the module cache. Known is false outside of a module, and where a file has errors.
func (s *sources) addModules(work, mod string) (folders []string, known bool) {
	if mod == "" || mod == os.DevNull {
		return nil, false
	}
	mains := []string{filepath.Dir(mod)}
	if work != "" && work != "off" {
		text, err := os.ReadFile(work)
		if err != nil {
			return nil, false
		}
		parsed, err := modfile.ParseWork(work, text, nil)
		if err != nil {
			return nil, false
		}
		at := filepath.Dir(work)
		s.Files = append(s.Files, work, work+".sum", filepath.Join(at, "vendor", "modules.txt"))
		mains = nil
		for _, use := range parsed.Use {
			mains = append(mains, inFolder(at, filepath.FromSlash(use.Path)))
		}
		folders = append(folders, local(parsed.Replace, at)...)
	}
	for _, folder := range mains {
		name := filepath.Join(folder, "go.mod")
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, false
		}
		parsed, err := modfile.Parse(name, text, nil)
		if err != nil {
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

// local returns the folders that replace modules, by paths relative to a folder.
func local(replaced []*modfile.Replace, at string) (folders []string) {
	for _, r := range replaced {
		if r.New.Version == "" {
			folders = append(folders, inFolder(at, filepath.FromSlash(r.New.Path)))
		}
	}
	return folders
}

// names returns all files and folders, in the same order each time.
func (s *sources) names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, name := range s.Files {
			if !yield(name) {
				return
			}
		}
		seen := make(map[string]bool)
		folder := func(name string) bool {
			if seen[name] {
				return true
			}
			seen[name] = true
			entries, _ := os.ReadDir(name)
			for _, e := range entries {
				if s.reads(e.Name()) && !e.IsDir() && !yield(filepath.Join(name, e.Name())) {
					return false
				}
			}
			return yield(name)
		}
		for _, name := range s.Folders {
			if !folder(name) {
				return
			}
		}
		for _, tree := range s.Trees {
			err := filepath.WalkDir(tree, func(name string, e fs.DirEntry, err error) error {
				switch {
				case err != nil || !e.IsDir():
					return nil
				case name != tree && isPassedOver(e.Name()):
					return fs.SkipDir
				case !folder(name):
					return fs.SkipAll
				}
				return nil
			})
			if err != nil {
				return
			}
		}
	}
}

// reads reports whether the listing depends on the text of a file of that name in a folder.
func (s *sources) reads(name string) bool {
	isGo := strings.HasSuffix(name, ".go") && (s.Tests || !strings.HasSuffix(name, "_test.go"))
	return isGo || name == "go.mod"
}

// isPassedOver reports whether patterns with "..." do not match what is in a folder of that name.
func isPassedOver(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "testdata" || name == "vendor"
}

// key returns the key of the texts of all files.
func (s *sources) key() string {
	k := newKey()
	for name := range s.names() {
		text, _ := os.ReadFile(name) // of a folder and of what is missing there is none
		k.add(name, string(text))
	}
	return k.name()
}

// isChangedSince reports whether a file was added, removed or written since a time, so that a
// listing which began then may have found it or not.
func (s *sources) isChangedSince(began time.Time) bool {
	for name := range s.names() {
		if info, err := os.Stat(name); err == nil && !info.ModTime().Before(began) {
			return true
		}
	}
	return false
}
