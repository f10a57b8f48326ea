package freerun_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// addOne has the name that an operation of package runtimetest has.
var addOne = freerun.Op("addOne", func(_ *freerun.Context, n *int, by int) (int, error) {
	*n += by + 1
	return *n, errors.New("added one more")
})

// TestOperationNamesArePackageWide: two packages have an operation of one name, and every report
// tells which one it is about.
func TestOperationNamesArePackageWide(t *testing.T) {
	if ours, theirs := freerun.NameOf(addOne), freerun.NameOf(runtimetest.AddOne); ours != "github.com/freerun-go/freerun_test.addOne" || theirs != "github.com/freerun-go/freerun/internal/runtimetest.addOne" {
		t.Errorf("the full names are %q and %q", ours, theirs)
	}
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	s := rt.Scope(t.Context(), freerun.ScopeName("import"))
	u := freerun.NewUnit(rt, 1)
	if n, err := runtimetest.AddOne.Send(s.Context(), u, 1).Wait(runtimetest.Within(t)); n != 2 || err != nil {
		t.Errorf("runtimetest's operation returned %d, %v", n, err)
	}
	addOne.Tell(s.Context(), u, 1)
	if err := s.Wait(runtimetest.Within(t)); err == nil || !strings.Contains(err.Error(), "freerun_test.addOne: added one more") {
		t.Errorf("the scope's error is %v", err)
	}
}

// declareNamed declares for its callers, so the name is one of this package.
func declareNamed(name string) *freerun.FreeOperation[int, int] {
	return freerun.FreeOp(name, func(_ *freerun.Context, n int) (int, error) { return n, nil })
}

type declaring[T any] struct{}

func (declaring[T]) method(name string) string {
	return func() string { return freerun.NameOf(declareNamed(name)) }()
}

func declareIn[T any](name string) string {
	return freerun.NameOf(freerun.FreeOp(name, func(_ *freerun.Context, _ T) (int, error) { return 0, nil }))
}

// asValue is a constructor as a value, which the compiler wraps.
var asValue = freerun.SmallOp[int, int]

// declared has operations that are declared in various ways, by their names.
var declared = map[string]string{
	"named function":   freerun.NameOf(declareNamed("named function")),
	"method":           declaring[map[string]wrapped]{}.method("method"),
	"generic function": declareIn[map[string]wrapped]("generic function"),
	"function value":   freerun.NameOf(asValue("function value", func(*freerun.Context, int) (int, error) { return 0, nil })),
	"a.b/c":            freerun.NameOf(declareNamed("a.b/c")),
}

// TestNameOfTheDeclaringPackage: the package is that of the source that declares the operation,
// however the function is written that does.
func TestNameOfTheDeclaringPackage(t *testing.T) {
	for name, got := range declared {
		if want := "github.com/freerun-go/freerun_test." + name; got != want {
			t.Errorf("the full name is %q, want %q", got, want)
		}
	}
}

type wrapped struct{ _ error }

var _ = declareNamed("twice")

// TestDeclaredTwice: the panic says where the name was declared first, and where again.
func TestDeclaredTwice(t *testing.T) {
	said := func(f func()) string { return fmt.Sprint(panics(f)) }
	value := said(func() {
		freerun.Op("twice", func(*freerun.Context, *int, int) (int, error) { return 0, nil })
	})
	if strings.Count(value, "operation_name_test.go:") != 2 || !strings.Contains(value, `package github.com/freerun-go/freerun_test declares operation "twice" twice, first at `) {
		t.Errorf("another line: panicked with %q", value)
	}
	value = said(func() { declareNamed("twice") })
	if strings.Count(value, "operation_name_test.go:") != 1 || !strings.Contains(value, "give each one of a loop or function a name of its own") {
		t.Errorf("the same line: panicked with %q", value)
	}
	if value := said(func() { declareNamed("") }); !strings.Contains(value, "needs a name, at ") || !strings.Contains(value, "operation_name_test.go:") {
		t.Errorf("no name: panicked with %q", value)
	}
}
