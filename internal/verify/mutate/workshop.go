package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// A workshop is where mutations of a tree are made and judged.
type workshop struct {
	root      string
	cache     string // the folder of the results; "" keeps none
	megabytes int
	slow      time.Duration // a test that takes longer unchanged does not count
	quick     bool          // only the tests of the package itself, and not with the race detector
	say       func(string, ...any)

	mutex   sync.Mutex
	covered map[string][]string       // whose mutations the tests of a folder are to kill
	counts  map[string]*regexp.Regexp // the tests of a folder that count; none: all

	packages map[string]*Package // by folder
	surveys  map[string]Survey   // by folder and build
	hashes   map[string]hashes   // by folder
}

// hashes are the hashes of the source that the tests of a folder are built from.
type hashes struct {
	source string            // the tokens of all files, without tests and comments
	lines  string            // the bytes of the same files: coverage speaks of lines
	tests  string            // the tokens of the test files
	files  map[string]string // the tokens of the file that declares a test, by the name of the test
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

// cover notes which tests of each folder count, and which packages' mutations they are to kill. It
// takes all rooms, also if only some are judged, so that one survey of a folder serves them all.
func (w *workshop) cover(rooms []Room) error {
	for _, r := range rooms {
		if r.Tests != "" {
			counting, err := regexp.Compile(r.Tests)
			if err != nil {
				return fmt.Errorf("the room %s: %w", r.Name, err)
			}
			w.counts[r.Folder] = counting
		}
		own, err := goList(w.root, pattern(r.Folder))
		if err != nil {
			return err
		}
		for _, folder := range append([]string{r.Folder}, r.Far...) {
			if path := own[0].ImportPath; !slices.Contains(w.covered[folder], path) {
				w.covered[folder] = append(w.covered[folder], path)
			}
		}
	}
	return nil
}

// surveyed returns the survey of a folder's tests, from the cache if it is there.
func (w *workshop) surveyed(folder string, b Build) (Survey, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	key := folder + " " + b.Name
	if s, ok := w.surveys[key]; ok {
		return s, nil
	}
	h, err := w.hash(folder)
	if err != nil {
		return Survey{}, err
	}
	w.say("what each test of %s reaches (%s)", folder, b.Name)
	covered := strings.Join(w.covered[folder], ",")
	place := func(test string) string { return h.lines + h.files[test] + key + " " + covered + " " + test }
	s, err := w.survey(folder, b, covered,
		func(test string) (t Test, ok bool) { return t, w.recall("test", place(test), &t) },
		func(t Test) { w.keep("test", place(t.Name), t) })
	if err == nil {
		w.surveys[key] = s
	}
	return s, err
}

// kept is a verdict in the cache, with the hashes of the source and the tests that it rests on.
type kept struct {
	Verdict
	Source string // under the tests
	Faced  string // the tests
	Quick  bool   // as w.quick
}

// judged returns the verdict on a mutation, from the cache if it still holds, and whether it was
// there. A kill stands while the source under the test that killed and that test's file are the
// same. A survivor has to face changed source, and changed tests unless it is the same to every
// caller, so that no test can kill it.
func (w *workshop) judged(r Room, m Mutation, same bool) (v Verdict, known bool, err error) {
	var k kept
	if w.recall("verdict", m.Key(), &k) && (k.Killed || w.quick || !k.Quick) {
		source, tests, err := w.rests(r, k.Verdict)
		if err != nil {
			return v, false, err
		}
		if k.Source == source && (k.Faced == tests || same && !k.Killed) {
			return k.Verdict, true, nil
		}
	}
	if v, err = w.judge(r, m); err != nil {
		return v, false, err
	}
	source, tests, err := w.rests(r, v)
	if err == nil {
		w.keep("verdict", m.Key(), kept{v, source, tests, w.quick})
	}
	return v, false, err
}

// rests returns the hashes of what a verdict rests on: the source under the tests, and the tests.
func (w *workshop) rests(r Room, v Verdict) (source, tests string, err error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if v.Killed {
		_, by, _ := strings.Cut(v.By, " ") // the build
		folder, test, _ := strings.Cut(by, " ")
		h, err := w.hash(folder)
		return h.source, h.files[test], err
	}
	for _, folder := range append([]string{r.Folder}, r.Far...) {
		h, err := w.hash(folder)
		if err != nil {
			return "", "", err
		}
		source += h.source
		tests += h.tests
	}
	return source, tests, nil
}

// hash returns the hashes of a folder's tests. The caller holds the mutex.
func (w *workshop) hash(folder string) (hashes, error) {
	if h, ok := w.hashes[folder]; ok {
		return h, nil
	}
	folders := map[string]bool{}
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
	h := hashes{files: map[string]string{}}
	source, lines, tests := sha256.New(), sha256.New(), sha256.New()
	for _, below := range slices.Sorted(maps.Keys(folders)) {
		names, err := fs.Glob(os.DirFS(w.root), filepath.ToSlash(filepath.Join(below, "*.[gs]*")))
		if err != nil {
			return h, err
		}
		for _, name := range names {
			isTest := strings.HasSuffix(name, "_test.go")
			if ext := filepath.Ext(name); ext != ".go" && ext != ".s" || isTest && below != folder {
				continue
			}
			text, err := os.ReadFile(filepath.Join(w.root, name))
			if err != nil {
				return h, err
			}
			sum := sha256.Sum256(text)
			if filepath.Ext(name) == ".go" {
				sum = sha256.Sum256(tokens(text))
			}
			if !isTest {
				fmt.Fprintf(source, "%s %x\n", name, sum)
				fmt.Fprintf(lines, "%s %x\n", name, sha256.Sum256(text))
				continue
			}
			fmt.Fprintf(tests, "%s %x\n", name, sum)
			for _, declared := range declaration.FindAllSubmatch(text, -1) {
				h.files[string(declared[1])] = hex.EncodeToString(sum[:])
			}
		}
	}
	h.source, h.lines, h.tests = hex.EncodeToString(source.Sum(nil)), hex.EncodeToString(lines.Sum(nil)), hex.EncodeToString(tests.Sum(nil))
	w.hashes[folder] = h
	return h, nil
}

// tokens returns the tokens of a Go file, a line each, and of its comments only the directives: a
// reworded comment changes no verdict.
func tokens(text []byte) []byte {
	files := token.NewFileSet()
	var s scanner.Scanner
	s.Init(files.AddFile("", -1, len(text)), text, nil, scanner.ScanComments)
	var out []byte
	for {
		_, kind, literal := s.Scan()
		switch {
		case kind == token.EOF:
			return out
		case kind == token.COMMENT && !directive.MatchString(literal):
			continue
		case literal == "":
			literal = kind.String()
		}
		out = append(append(out, literal...), '\n')
	}
}

// directive is the beginning of a comment that is more than one.
var directive = regexp.MustCompile("^//(go:| Output:| Unordered output:)")

// declaration is the beginning of a test.
var declaration = regexp.MustCompile(`(?m)^func ((?:Test|Example|Fuzz)\w*)\(`)

func (w *workshop) place(kind, key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(w.cache, kind+"-"+hex.EncodeToString(sum[:12])+".json")
}

// recall reads the value that was kept under a key, and reports whether there is one.
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
