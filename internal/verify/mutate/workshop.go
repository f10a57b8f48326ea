package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A workshop is where mutations of a tree are made and judged.
type workshop struct {
	root      string
	cache     string // the folder of the results; "" keeps none
	megabytes int
	quick     bool // only the tests of the package itself, and not with the race detector
	say       func(string, ...any)

	mutex    sync.Mutex
	packages map[string]*Package // by folder
	surveys  map[string]Survey   // by room, folder and build
	hashes   map[string]hashes   // by room
}

// hashes are the hashes of what the tests of a room are built from.
type hashes struct {
	source string
	tests  string            // of all test files
	files  map[string]string // of the file that declares a test, by folder and name of the test
}

// load returns the package of a room.
func (w *workshop) load(r Room) (*Package, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if p := w.packages[r.Folder]; p != nil {
		return p, nil
	}
	p, err := load(w.root, r.Folder)
	if err == nil {
		w.packages[r.Folder] = p
	}
	return p, err
}

// surveyed returns the survey of a folder's tests for a room, from the cache if it is there.
func (w *workshop) surveyed(r Room, folder string, b Build) (Survey, error) {
	p, err := w.load(r)
	if err != nil {
		return Survey{}, err
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	key := r.Name + " " + folder + " " + b.Name
	if s, ok := w.surveys[key]; ok {
		return s, nil
	}
	h, err := w.hash(r)
	if err != nil {
		return Survey{}, err
	}
	w.say("%s: what each test of %s reaches (%s)", r.Name, folder, b.Name)
	place := func(test string) string { return h.source + h.files[folder+" "+test] + key + " " + test }
	s, err := survey(w.root, folder, p.path, b, w.say,
		func(test string) (t Test, ok bool) { return t, w.recall("test", place(test), &t) },
		func(t Test) { w.keep("test", place(t.Name), t) })
	if err == nil {
		w.surveys[key] = s
	}
	return s, err
}

// kept is a verdict in the cache.
type kept struct {
	Verdict
	AllTests string // the hash of the tests
	Killer   string // the hash of the file of the test that killed
	Quick    bool   // as w.quick
}

// judged returns the verdict on a mutation, from the cache if it still holds, and whether it was
// there. A survivor has to face new tests. A kill stands while the source and the file of the test
// that killed are the same.
func (w *workshop) judged(r Room, m Mutation) (v Verdict, known bool, err error) {
	w.mutex.Lock()
	h, err := w.hash(r)
	w.mutex.Unlock()
	if err != nil {
		return v, false, err
	}
	killer := func(v Verdict) string {
		_, test, _ := strings.Cut(v.By, " ")
		return h.files[test]
	}
	key := h.source + m.Key() + fmt.Sprint(m.Edits)
	var k kept
	if w.recall("verdict", key, &k) && (!k.Killed && k.AllTests == h.tests && (w.quick || !k.Quick) || k.Killed && k.Killer == killer(k.Verdict)) {
		return k.Verdict, true, nil
	}
	if v, err = w.judge(r, m); err == nil {
		w.keep("verdict", key, kept{v, h.tests, killer(v), w.quick})
	}
	return v, false, err
}

// hash returns the hashes of a room. The caller holds the mutex.
func (w *workshop) hash(r Room) (hashes, error) {
	if h, ok := w.hashes[r.Name]; ok {
		return h, nil
	}
	tests := append([]string{r.Folder}, r.Far...)
	folders := map[string]bool{}
	for _, folder := range tests {
		for _, tags := range []string{"", "explore"} {
			all, err := goList(w.root, "-deps", "-test", "-tags", tags, pattern(folder))
			if err != nil {
				return hashes{}, err
			}
			for _, p := range all {
				if below, err := filepath.Rel(w.root, p.Dir); err == nil && !p.Standard && !strings.HasPrefix(below, "..") {
					folders[filepath.ToSlash(below)] = true
				}
			}
		}
	}
	h := hashes{files: map[string]string{}}
	source, allTests := sha256.New(), sha256.New()
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		names, err := fs.Glob(os.DirFS(w.root), filepath.ToSlash(filepath.Join(folder, "*.[gs]*")))
		if err != nil {
			return h, err
		}
		for _, name := range names {
			into := source
			switch {
			case filepath.Ext(name) != ".go" && filepath.Ext(name) != ".s":
				continue
			case strings.HasSuffix(name, "_test.go") && !slices.Contains(tests, folder):
				continue
			case strings.HasSuffix(name, "_test.go"):
				into = allTests
			}
			text, err := os.ReadFile(filepath.Join(w.root, name))
			if err != nil {
				return h, err
			}
			sum := sha256.Sum256(text)
			fmt.Fprintf(into, "%s %x\n", name, sum)
			if into == allTests {
				for _, declared := range declaration.FindAllSubmatch(text, -1) {
					h.files[folder+" "+string(declared[1])] = hex.EncodeToString(sum[:])
				}
			}
		}
	}
	h.source, h.tests = hex.EncodeToString(source.Sum(nil)), hex.EncodeToString(allTests.Sum(nil))
	w.hashes[r.Name] = h
	return h, nil
}

// declaration is the beginning of a test.
var declaration = regexp.MustCompile(`(?m)^func ((?:Test|Example|Fuzz)\w*)\(`)

func (w *workshop) place(kind, key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(w.cache, kind+"-"+hex.EncodeToString(sum[:12])+".json")
}

// recall reads what was kept under a key, and reports whether there was something.
func (w *workshop) recall(kind, key string, into any) bool {
	if w.cache == "" {
		return false
	}
	text, err := os.ReadFile(w.place(kind, key))
	return err == nil && json.Unmarshal(text, into) == nil
}

// keep writes something under a key. If it cannot, the next run does the work again.
func (w *workshop) keep(kind, key string, what any) {
	if w.cache == "" {
		return
	}
	text, err := json.Marshal(what)
	if err == nil {
		err = os.MkdirAll(w.cache, 0o755)
	}
	if err == nil {
		name := w.place(kind, key)
		if err = os.WriteFile(name+".new", text, 0o600); err == nil {
			err = os.Rename(name+".new", name)
		}
	}
	if err != nil {
		w.say("%v", err)
	}
}
