package explore

import (
	"encoding/json"
	"os"
	"testing"
)

// Record is a line of the file that FREERUN_GATE names.
type Record struct {
	Test       string `json:"test"`
	Way        string `json:"way"` // exhaustive, random, frozen or control
	Executions int    `json:"executions"`
	Steps      int    `json:"steps"`
	What       string `json:"what"` // how far it went, or what a control found
}

// record adds the result to the file of the gate, if there is one.
func record(t testing.TB, o outcome, way, what string) {
	t.Helper()
	name := os.Getenv("FREERUN_GATE")
	if name == "" {
		return
	}
	line, err := json.Marshal(Record{Test: t.Name(), Way: way, Executions: o.executions, Steps: o.steps, What: what})
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
