package goruntime

import (
	"bytes"
	"go/format"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// goroot returns the folder of the go command that is used.
func goroot(t *testing.T) string {
	t.Helper()
	text, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

// TestTexts holds that each function of the runtime that another one is put before has its other
// name, and that the rest of its file is as it was.
func TestTexts(t *testing.T) {
	texts, err := Texts(goroot(t), os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(goroot(t), "src", "runtime")
	ours := string(texts[filepath.Join(folder, "freerun.go")]) + string(texts[filepath.Join(folder, "freerun_preempt.go")]) + string(texts[filepath.Join(folder, "freerun_call.go")])
	for file, edits := range edits() {
		name := filepath.Join(folder, file)
		was, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text := string(texts[name])
		for function := range before[file] {
			if strings.Contains(text, "\nfunc "+function+"(") || !strings.Contains(ours, "\nfunc "+function+"(") {
				t.Errorf("%s is not the other function", function)
			}
		}
		for _, e := range edits {
			text = strings.Replace(text, e.is, e.was, 1)
		}
		if text != string(was) {
			t.Errorf("%s has changed in other places", file)
		}
	}
	for name, text := range texts {
		// The go command replaces no files in its module cache, where freerun is, and go vet needs
		// the folder of each package.
		if inside, err := filepath.Rel(filepath.Join(goroot(t), "src"), name); err != nil || strings.HasPrefix(inside, "..") {
			t.Errorf("%s is no file of Go itself", name)
		} else if _, err := os.Stat(filepath.Dir(name)); err != nil {
			t.Error(err)
		}
		if formatted, err := format.Source(text); err != nil || !bytes.Equal(formatted, text) {
			t.Errorf("%s is not formatted: %v", name, err)
		}
	}
}

// TestUnknown holds that a runtime without one of the functions is refused, with its name.
func TestUnknown(t *testing.T) {
	_, err := Texts(goroot(t), func(name string) ([]byte, error) {
		text, err := os.ReadFile(name)
		return bytes.Replace(text, []byte("\nfunc selectgo("), []byte("\nfunc selectOne("), 1), err
	})
	if err == nil || !strings.Contains(err.Error(), "select.go has no function selectgo") {
		t.Errorf("%v", err)
	}
}
