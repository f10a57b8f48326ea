package cooperate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestStore: what is kept is found by its key, and removed when it was not used for long.
func TestStore(t *testing.T) {
	s := openStore(filepath.Join(t.TempDir(), "a", "b"))
	one, two := newKey(), newKey()
	one.add("name", "text")
	two.add("nam", "etext")
	if _, ok := s.get(one, []string{"x/a.go"}); ok {
		t.Error("an empty store has something")
	}
	if _, ok := s.put(one, map[string][]byte{"x/a.go": []byte("text")}); !ok {
		t.Fatal("nothing is kept")
	}
	if _, ok := s.put(one, map[string][]byte{"x/a.go": []byte("text")}); !ok {
		t.Error("it is not kept twice")
	}
	if _, ok := s.get(two, nil); ok {
		t.Error("another key finds it")
	}
	kept, ok := s.get(one, []string{"x/a.go", "x/b.go"})
	if text, err := os.ReadFile(kept["x/a.go"]); !ok || len(kept) != 1 || string(text) != "text" {
		t.Errorf("%v %v %v %q", ok, kept, err, text)
	}
	if err := os.Symlink(s.folder, filepath.Join(s.folder, "link")); err != nil {
		t.Skip(err)
	}
	before := time.Now().Add(-2 * unused)
	if err := os.Chtimes(s.folder, before, before); err != nil {
		t.Fatal(err)
	}
	s.put(two, nil)
	s.remember("question", "key", map[string][]byte{"x/a.go": []byte("text")})
	if texts, ok := s.recall("question", "key"); !ok || string(texts["x/a.go"]) != "text" {
		t.Errorf("%v %v", ok, texts)
	}
	if texts, ok := s.recall("question", "another key"); ok {
		t.Errorf("%v", texts)
	}
	for _, name := range []string{two.name(), "question"} {
		if err := os.Chtimes(filepath.Join(s.folder, name), before, before); err != nil {
			t.Fatal(err)
		}
	}
	s.trim()
	entries, err := os.ReadDir(s.folder)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); err != nil || got != one.name()+" link trimmed" {
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
		if _, ok := s.put(newKey(), nil); ok {
			t.Error("something is kept")
		}
		if _, ok := s.get(newKey(), nil); ok {
			t.Error("something is found")
		}
		s.remember("question", "key", nil)
		if _, ok := s.recall("question", "key"); ok {
			t.Error("something is remembered")
		}
		s.trim()
	}
}
