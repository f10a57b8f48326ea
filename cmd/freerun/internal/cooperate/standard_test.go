package cooperate

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// standardHere returns the standard library of the go command that is used.
func standardHere(t *testing.T) Standard {
	t.Helper()
	text, err := exec.Command("go", "env", "-json", "GOROOT", "GOARCH").Output()
	env := struct{ GOROOT, GOARCH string }{}
	if err == nil {
		err = json.Unmarshal(text, &env)
	}
	if err != nil {
		t.Fatal(err)
	}
	return Standard{Root: env.GOROOT, Arch: env.GOARCH}
}

// TestStandard inserts polls into the standard library: into none of the packages that are to have
// none, and into those where programs spend their time. No line moves.
func TestStandard(t *testing.T) {
	q, s := Request{}, standardHere(t)
	l, err := q.listStandard(s)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(`archive/zip bufio bytes compress/flate container/list crypto/x509 database/sql encoding/json encoding/gob errors fmt
		go/ast hash/crc32 html/template image/png io log maps math/big net net/http os reflect regexp slices sort strconv strings text/template unicode/utf8
		vendor/golang.org/x/net/http2/hpack`)
	paths := slices.Sorted(maps.Keys(l.packages))
	if oneOf > 1 {
		want = []string{"encoding/json", "sort", "strings"}
		paths = want
	}
	polls := make(map[string]int) // by folder
	for name, text := range l.rewrite(paths) {
		was, err := os.ReadFile(name)
		if err != nil || strings.Count(string(text), "\n") != strings.Count(string(was), "\n") {
			t.Errorf("%s has another number of lines (%v)", name, err)
		}
		polls[filepath.Dir(name)] += strings.Count(string(text), ".Here();")
	}
	all := 0
	for path, p := range l.packages {
		all += polls[p.Dir]
		if (l.below[path] || isLeftOut(path)) && polls[p.Dir] > 0 {
			t.Errorf("%s has polls", path)
		}
	}
	for _, path := range want {
		if p := l.packages[path]; p == nil || polls[p.Dir] == 0 {
			t.Errorf("%s has no polls", path)
		}
	}
	t.Logf("%d polls in %d packages", all, len(polls))
	if oneOf == 1 && (all < 5000 || len(polls) < 150) {
		t.Error("this is too little")
	}
	for _, out := range leftOut {
		prefix, _ := strings.CutSuffix(out.path, "/...")
		there := func(path string) bool { return path == prefix || strings.HasPrefix(path, prefix+"/") }
		if out.why == "" || !slices.ContainsFunc(slices.Collect(maps.Keys(l.packages)), there) && prefix != "arena" {
			t.Errorf("%s is left out, and is not there", out.path)
		}
	}
	for _, path := range []string{"internal/runtime/atomic", "internal/bytealg", "math/bits"} {
		if !l.below[path] {
			t.Errorf("the runtime does not import %s", path)
		}
	}
}

// TestStandardKey: the key has the flags that decide which files there are, and the files that the
// user's overlay puts in place of others.
func TestStandardKey(t *testing.T) {
	s := Standard{Root: t.TempDir(), Arch: "amd64", Facts: "x"}
	instead := filepath.Join(t.TempDir(), "sort.go")
	if err := os.WriteFile(instead, []byte("package sort"), 0o644); err != nil {
		t.Fatal(err)
	}
	name := func(overlaid string, flags ...string) string {
		q := Request{Flags: flags}
		if overlaid != "" {
			q.Overlay = map[string]string{overlaid: instead}
		}
		return q.standardKey(s).name()
	}
	inside := filepath.Join(s.Root, "src", "sort", "sort.go")
	plain, with := name(""), name(inside)
	if name("", "-trimpath", "-mod=mod") != plain || name("elsewhere.go") != plain {
		t.Error("what decides nothing is in the key")
	}
	if err := os.WriteFile(instead, []byte("package sort // anew"), 0o644); err != nil {
		t.Fatal(err)
	}
	if keys := []string{plain, with, name(inside), name("", "-race"), name("", "--tags=x")}; len(slices.Compact(slices.Sorted(slices.Values(keys)))) != len(keys) {
		t.Errorf("some are the same: %v", keys)
	}
}

// TestStandardKept: what is made once is found again.
func TestStandardKept(t *testing.T) {
	st, k := openStore(t.TempDir()), newKey()
	root := filepath.Join(t.TempDir(), "go")
	file := filepath.Join(root, "src", "sort", "sort.go")
	if _, ok := st.library(k, root); ok {
		t.Error("an empty store has a library")
	}
	for range 2 {
		kept, ok := st.keepLibrary(k, root, map[string][]byte{file: []byte("text")})
		if text, err := os.ReadFile(kept[file]); !ok || len(kept) != 1 || string(text) != "text" {
			t.Errorf("%v %v %v %q", ok, kept, err, text)
		}
	}
	if _, ok := st.keepLibrary(newKey(), root, map[string][]byte{filepath.Join(root, "..", "x.go"): nil}); ok {
		t.Error("a file outside of the library is kept")
	}
	if _, ok := (*store)(nil).keepLibrary(k, root, nil); ok {
		t.Error("no store keeps something")
	}
	s := Standard{Root: root, Arch: "amd64"}
	q := Request{Keep: st.folder}
	if _, ok := st.keepLibrary(q.standardKey(s), root, map[string][]byte{file: []byte("text")}); !ok {
		t.Fatal("nothing is kept")
	}
	kept, texts, err := RewriteStandard(q, s)
	if err != nil || len(texts) > 0 || kept[file] == "" {
		t.Errorf("%v %v %v", kept, texts, err)
	}
}
