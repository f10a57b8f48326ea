package freerun

import (
	"strings"
	"testing"
)

// TestPackageOf has names of functions as package runtime writes them.
func TestPackageOf(t *testing.T) {
	for function, want := range map[string]string{
		"main.main":                                       "main",
		"example.org/bank.init":                           "example.org/bank",
		"example.org/bank.init.0":                         "example.org/bank",
		"example.org/bank.init.0.func1":                   "example.org/bank",
		"example.org/bank.(*Account).Close.func1.2":       "example.org/bank",
		"example.org/bank.(*Account[...]).Close":          "example.org/bank",
		"example.org/bank.New[example.org/other.T].func1": "example.org/bank",
		"example.org/bank%2ev3.map.init.0":                "example.org/bank.v3",
		"example.org/bank/v2.glob..func1":                 "example.org/bank/v2",
		"example.org/bank_test.TestBank":                  "example.org/bank_test",
		"command-line-arguments.init":                     "command-line-arguments",
		"":                                                "",
	} {
		if got := packageOf(function); got != want {
			t.Errorf("%q is in package %q, want %q", function, got, want)
		}
	}
}

func TestShortPath(t *testing.T) {
	for in, want := range map[string]string{
		"main": "main", "example.org/bank": "bank", "example.org/bank/v2": "bank", "example.org/bank.v3": "bank",
		"example.org/bank_test": "bank_test", "v2": "v2", "example.org": "example.org",
	} {
		if got := shortPath(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}

// TestNamesOfOneShortForm: of two operations with one short form the second is shown by its path.
func TestNamesOfOneShortForm(t *testing.T) {
	for _, c := range []struct{ in, short, full string }{
		{"example.org/a/till", "till.open", "example.org/a/till.open"},
		{"example.org/b/till", "example.org/b/till.open", "example.org/b/till.open"},
		{"example.org/b/till/v2", "example.org/b/till/v2.open", "example.org/b/till/v2.open"},
	} {
		t.Cleanup(func() { declared.Delete(c.full); shown.Delete(c.short) })
		if short, full := claimIn(c.in, "open", OperationInfo{Place: "here"}); short != c.short || full != c.full || fullName(short) != full {
			t.Errorf("%s: %q, %q, and back %q; want %q, %q", c.in, short, full, fullName(short), c.short, c.full)
		}
	}
	if name := "example.org/bank.run.func1"; fullName(name) != name {
		t.Errorf("the name of a function became %q", fullName(name))
	}
}

var declaredByATest = FreeOp("ownTest", func(*Context, int) (int, error) { return 0, nil })

// TestOwnTestsDeclareAsOthers: a test within this package is not taken for the runtime.
func TestOwnTestsDeclareAsOthers(t *testing.T) {
	o := declaredByATest.op.core
	if want := "github.com/freerun-go/freerun.ownTest"; o.declared.full != want || o.declared.name != "freerun.ownTest" {
		t.Errorf("the names are %q and %q, want %q", o.declared.name, o.declared.full, want)
	}
}

// TestOwnOperations: those of the runtime itself have its name, though no other package calls for
// them.
func TestOwnOperations(t *testing.T) {
	if d := keepOp.op.core.declared; d.full != "github.com/freerun-go/freerun.kind.keep" || d.name != "freerun.kind.keep" || !strings.Contains(d.place, "kind_keeper.go:") {
		t.Errorf("the names are %q and %q, at %s", d.name, d.full, d.place)
	}
}
