package cooperate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestStore: what a build remembers is found by its question, and removed when it was not used for
// long.
func TestStore(t *testing.T) {
	s := openStore(filepath.Join(t.TempDir(), "a", "b"))
	if m := s.recall("old"); m.Key != "" {
		t.Error("an empty store has something")
	}
	s.remember("old", memory{Key: "key"})
	s.remember("question", memory{Key: "key", Texts: map[string][]byte{"x/a.go": []byte("text")}})
	if m := s.recall("question"); m.Key != "key" || string(m.Texts["x/a.go"]) != "text" {
		t.Errorf("%+v", m)
	}
	before := time.Now().Add(-2 * unused)
	if err := os.Chtimes(filepath.Join(s.folder, "old"), before, before); err != nil {
		t.Fatal(err)
	}
	s.trim()
	entries, err := os.ReadDir(s.folder)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); err != nil || got != "question trimmed" {
		t.Errorf("left are %s (%v)", got, err)
	}
}

// TestNoStore: without a folder nothing is kept, and nothing fails.
func TestNoStore(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{"", filepath.Join(file, "below")} {
		s := openStore(folder)
		s.remember("question", memory{Key: "key"})
		if m := s.recall("question"); m.Key != "" {
			t.Error("something is remembered")
		}
		s.trim()
	}
}

// TestFixed: what a file is called does not make it one that never changes, where it is does.
func TestFixed(t *testing.T) {
	in := func(folder string) string { return filepath.Join(t.TempDir(), folder) }
	modules, project := in("mod"), in("project@v1.2.3")
	l := loader{Request: Request{GoEnv: map[string]string{"GOMODCACHE": modules, "GOROOT": in("go"), "GOCACHE": "off"}}}
	for file, want := range map[string]bool{
		filepath.Join(modules, "example.org", "a@v1.2.3", "a.go"):              true,
		filepath.Join(project, "vendor", "example.org", "a", "a.go"):           false,
		filepath.Join(modules+"2", "example.org", "a@v1.2.3", "a.go"):          false,
		filepath.Join(l.GoEnv["GOROOT"], "src", "fmt", "print.go"):             true,
		filepath.Join(filepath.Dir(l.GoEnv["GOROOT"]), "goods", "src", "a.go"): false,
	} {
		if got := l.isFixed(file); got != want {
			t.Errorf("%s: %t, want %t", file, got, want)
		}
	}
}
