package cooperate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestStore: what a build remembers is found by its key, and removed when it was not used for long.
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
