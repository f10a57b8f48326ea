package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/bench/commandline/commandtest"
)

// TestFreerunBenchDurable: the command that users type finds and builds this one, from anywhere in
// the clone, and has it measure: a row for each variant, in the order of the program.
func TestFreerunBenchDurable(t *testing.T) {
	c := exec.Command("go", "run", "./cmd/freerun", "bench", "durable", "--json", "--size", "20", "--keys", "10", "--flight", "4", "--reads", "0", "--runs", "2")
	c.Dir = "../../.."
	c.Env = append(os.Environ(), "GOWORK=") // the one of the clone: this module is outside of it
	out, errs, status := commandtest.Output(t, c)
	if status != 0 || errs != "" {
		t.Fatalf("exit status %d, %q", status, errs)
	}
	var names []string
	for _, row := range commandtest.Decode(t, out) {
		names = append(names, row["variant"].(string))
		if row["program"] != "durable" || row["runs"] != 2.0 || row["per_second"].(float64) < 1 || row["sync_ns"].(float64) < 1 {
			t.Errorf("%v", row)
		}
	}
	if got := strings.Join(names, " "); got != "units bbolt sqlite dbos" {
		t.Errorf("rows of %s", got)
	}
}

// TestDatabasesAreApart: the modules that the contestants depend on are in none of the builds of
// the workspace: who builds freerun, or measures other programs, need not fetch them.
func TestDatabasesAreApart(t *testing.T) {
	list := func(dir, workspace string) string {
		c := exec.Command("go", "list", "-m", "all")
		c.Dir, c.Env = dir, append(os.Environ(), "GOWORK="+workspace)
		out, errs, status := commandtest.Output(t, c)
		if status != 0 {
			t.Fatal(errs)
		}
		return out
	}
	all, here := list("../../..", ""), list(".", "off")
	for _, name := range []string{"modernc.org/sqlite", "modernc.org/libc", "github.com/dbos-inc/dbos-transact-golang", "github.com/jackc/pgx/v5"} {
		if strings.Contains(all, name+" ") || !strings.Contains(here, name+" ") {
			t.Errorf("%s is in the workspace: %v, and here: %v", name, strings.Contains(all, name+" "), strings.Contains(here, name+" "))
		}
	}
}
