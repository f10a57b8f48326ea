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
	text := map[string][]byte{"x/a.go": []byte("text")}
	if _, ok := s.recall("old", "key"); ok {
		t.Error("an empty store has something")
	}
	s.remember("old", "key", text)
	s.remember("question", "key", text)
	if texts, ok := s.recall("question", "key"); !ok || string(texts["x/a.go"]) != "text" {
		t.Errorf("%v %v", ok, texts)
	}
	if texts, ok := s.recall("question", "another key"); ok {
		t.Errorf("%v", texts)
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
		s.remember("question", "key", nil)
		if _, ok := s.recall("question", "key"); ok {
			t.Error("something is remembered")
		}
		s.trim()
	}
}
