package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// A Build is a way to build the tests of a package.
type Build struct {
	Name string
	Args []string // of go test -c
	Test string   // the tests of this build that count, as -test.list takes it
	Run  []string // of the binary, when it looks for mutations
}

var (
	explored = Build{Name: "explore", Args: []string{"-tags", "explore"}, Test: "^TestExplore"}
	unit     = Build{Name: "test", Test: "^(Test|Example|Fuzz)"}
	race     = Build{Name: "race", Args: []string{"-race"}, Test: "^(Test|Example|Fuzz)", Run: []string{"-test.cpu=1,2,4"}}
)

// compile builds the tests of the package in a folder into a binary.
func compile(root, folder string, b Build, binary string, more ...string) error {
	args := append([]string{"test", "-c", "-vet=off", "-ldflags=-w", "-o", binary}, b.Args...)
	args = append(append(args, more...), pattern(folder))
	c := exec.Command("go", args...)
	c.Dir = root
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("go test -c of %s for %s: %w\n%s", folder, b.Name, err, out)
	}
	return nil
}

// overlay writes a mutation and the overlay that replaces its file, and returns the name of the
// overlay.
func overlay(root, temporary string, m Mutation) (string, error) {
	original := filepath.Join(root, filepath.FromSlash(m.File))
	source, err := os.ReadFile(original)
	if err != nil {
		return "", err
	}
	changed := filepath.Join(temporary, "changed.go")
	if err := os.WriteFile(changed, m.apply(source), 0o600); err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": {original: changed}})
	if err != nil {
		return "", err
	}
	name := filepath.Join(temporary, "overlay.json")
	return name, os.WriteFile(name, text, 0o600)
}
