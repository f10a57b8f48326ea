package freerun_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/errorcode"
)

// TestStoredErrors holds that each named error has its stored name, and no other.
func TestStoredErrors(t *testing.T) {
	registrations, err := os.ReadFile("errors_stored.go")
	if err != nil {
		t.Fatal(err)
	}
	names := 0
	folder, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range folder {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), entry.Name(), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range syntax.Decls {
			group, ok := d.(*ast.GenDecl)
			if !ok || group.Tok != token.VAR {
				continue
			}
			for _, spec := range group.Specs {
				for _, name := range spec.(*ast.ValueSpec).Names {
					if !name.IsExported() || !strings.HasPrefix(name.Name, "Err") {
						continue
					}
					names++
					if line := fmt.Sprintf("errorcode.Register(\"freerun.%s\", %[1]s)\n", name.Name); !strings.Contains(string(registrations), line) {
						t.Errorf("%s: %s has no stored name; add to errors_stored.go %s", entry.Name(), name.Name, line)
					}
				}
			}
		}
	}
	if all := strings.Count(string(registrations), "errorcode.Register("); all != names || names == 0 {
		t.Errorf("%d errors have stored names, and there are %d named errors", all, names)
	}
}

// TestStoredErrorTypes holds that errors of this package survive as what they say and are.
func TestStoredErrorTypes(t *testing.T) {
	crash := &freerun.PanicError{Operation: "deposit", Unit: "account(ada)", Value: io.ErrUnexpectedEOF, Stack: []byte("stack")}
	for _, c := range []struct {
		err error
		is  []error
	}{
		{crash, []error{io.ErrUnexpectedEOF}},
		{&freerun.PanicError{Operation: "deposit", Value: "boom"}, nil},
		{&freerun.PanicError{Operation: "deposit", Value: freerun.ErrGoexit}, []error{freerun.ErrGoexit}},
		{&freerun.StoppedError{}, []error{freerun.ErrStopped}},
		{&freerun.StoppedError{Err: crash, Restarts: 3}, []error{freerun.ErrStopped, io.ErrUnexpectedEOF}},
		{&freerun.ActivationError{Kind: "account", Key: "ada", Err: fs.ErrNotExist}, []error{fs.ErrNotExist}},
		{&freerun.ArgumentError{Operation: "pay", Err: freerun.ErrFull}, []error{freerun.ErrFull}},
	} {
		decoded := errorcode.Encode(c.err).Error()
		if decoded.Error() != c.err.Error() {
			t.Errorf("%q became %q", c.err, decoded)
		}
		for _, target := range []error{freerun.ErrGoexit, freerun.ErrStopped, freerun.ErrFull, fs.ErrNotExist, io.ErrUnexpectedEOF} {
			if want := errors.Is(c.err, target); errors.Is(decoded, target) != want {
				t.Errorf("%q decoded is %q: %t, want %t", c.err, target, !want, want)
			}
		}
		for _, target := range c.is {
			if !errors.Is(decoded, target) {
				t.Errorf("%q decoded is not %q", c.err, target)
			}
		}
	}
}
