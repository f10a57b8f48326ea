package explore

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Record is a line of the file that FREERUN_GATE names.
type Record struct {
	Package    string `json:"package"` // its folder, from the module's root
	Test       string `json:"test"`
	Way        string `json:"way"` // exhaustive, random, frozen or control
	Executions int    `json:"executions"`
	Extent     string `json:"extent"` // how much was explored, or the failure that a control found
}

// record adds the result to the file that FREERUN_GATE names, if it names one.
func record(t testing.TB, o outcome, way, extent string) {
	t.Helper()
	name := os.Getenv("FREERUN_GATE")
	if name == "" {
		return
	}
	folder, err := folderInModule()
	if err != nil {
		t.Fatal(err)
	}
	line, err := json.Marshal(Record{Package: folder, Test: t.Name(), Way: way, Executions: o.executions, Extent: extent})
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Write(append(line, '\n')); err != nil {
		t.Fatal(err)
	}
}

// folderInModule returns the folder of the package under test, from the module's root. Go runs a
// test in its package's folder.
func folderInModule() (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for root := here; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil || root == filepath.Dir(root) {
			return filepath.Rel(root, here)
		}
	}
}
