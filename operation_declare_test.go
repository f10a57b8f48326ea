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
	if strings.Count(value, "operation_declare_test.go:") != 2 || !strings.Contains(value, `package github.com/freerun-go/freerun_test declares operation "twice" twice, first at `) {
		t.Errorf("another line: panicked with %q", value)
	}
	value = said(func() { declareNamed("twice") })
	if strings.Count(value, "operation_declare_test.go:") != 1 || !strings.Contains(value, "give each one of a loop or function a name of its own") {
		t.Errorf("the same line: panicked with %q", value)
	}
	if value := said(func() { declareNamed("") }); !strings.Contains(value, "needs a name, at ") || !strings.Contains(value, "operation_declare_test.go:") {
		t.Errorf("no name: panicked with %q", value)
	}
}

// Each of these operations sends to itself, or to the one that sent to it, without an init
// function.
var (
	downOp   = freerun.Op[int, int, int]("down.op", nil)
	downRead = freerun.ReadOp[int, int, int]("down.read", nil)
	downFree = freerun.FreeOp[int, int]("down.free", nil)
	downTiny = freerun.SmallOp[int, int]("down.tiny", nil)
	downTwo  = freerun.Op2[int, int, int, int]("down.two", nil)
	downAll  = freerun.OpAll[int, int, int]("down.all", nil)
	downFork = freerun.NewForkFunc[int, int](nil)
	// The units to which the operations send.
	downUnits [2]*freerun.Unit[int]
)

var (
	_ = freerun.Define(downOp, func(c *freerun.Context, _ *int, n int) (int, error) { return further(c, downOp.Send, downUnits[0], n) })
	_ = freerun.Define(downRead, func(c *freerun.Context, _ *int, n int) (int, error) {
		return further(c, downRead.Send, downUnits[0], n)
	})
	// downFree and downTiny send to each other.
	_ = freerun.Define(downFree, func(c *freerun.Context, n int) (int, error) {
		if n == 0 {
			return 0, nil
		}
		return freerun.Forward(c, downTiny.Send(c, n-1))
	})
	_ = freerun.Define(downTiny, func(c *freerun.Context, n int) (int, error) {
		if n == 0 {
			return 0, nil
		}
		return freerun.Forward(c, downFree.Send(c, n-1))
	})
	_ = freerun.Define(downTwo, func(c *freerun.Context, _, _ *int, n int) (int, error) {
		if n == 0 {
			return 0, nil
		}
		return freerun.Forward(c, downTwo.Send(c, downUnits[1], downUnits[0], n-1))
	})
	_ = freerun.Define(downAll, func(c *freerun.Context, _ []*int, n int) (int, error) {
		return further(c, downAll.Send, downUnits[:], n)
	})
	forkBody = freerun.Define(downFork, func(c *freerun.Context, n int) int {
		if n < 2 {
			return n
		}
		x, y := downFork.Join(c, n-1, n-2)
		return x + y
	})
)

// further sends n−1, until n is 0.
func further[U any](c *freerun.Context, send func(*freerun.Context, U, int) freerun.Future[int], to U, n int) (int, error) {
	if n == 0 {
		return 0, nil
	}
	return freerun.Forward(c, send(c, to, n-1))
}

// TestDefine runs each form of operation that sends to itself.
func TestDefine(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	c := rt.Context()
	downUnits = [2]*freerun.Unit[int]{freerun.NewUnit(rt, 0), freerun.NewUnit(rt, 0)}
	for name, f := range map[string]freerun.Future[int]{
		"Op": downOp.Send(c, downUnits[0], 9), "ReadOp": downRead.Send(c, downUnits[0], 9),
		"FreeOp": downFree.Send(c, 9), "SmallOp": downTiny.Send(c, 9),
		"Op2": downTwo.Send(c, downUnits[0], downUnits[1], 9), "OpAll": downAll.Send(c, downUnits[:], 9),
	} {
		if n, err := f.Wait(runtimetest.Within(t)); n != 0 || err != nil {
			t.Errorf("%s: %d, %v", name, n, err)
		}
	}
	if n := downFork.Run(c, 10); n != 55 {
		t.Errorf("the fork function returns %d, want 55", n)
	}
	if n := forkBody(c, 1); n != 1 {
		t.Errorf("Define returned another function, which returns %d", n)
	}
}

// Operations without a function, and without any declaration.
var (
	bodyless     = freerun.Op[int, int, int]("bodyless", nil)
	bodylessRead = freerun.ReadOp[int, int, int]("bodyless.read", nil)
	bodylessFree = freerun.FreeOp[int, int]("bodyless.free", nil)
	bodylessTwo  = freerun.Op2[int, int, int, int]("bodyless.two", nil)
	bodylessAll  = freerun.OpAll[int, int, int]("bodyless.all", nil)
	bodylessFork = freerun.NewForkFunc[int, int](nil)
)

// TestDefineWrongly holds that each wrong use has a text that tells what was wrong, and where.
func TestDefineWrongly(t *testing.T) {
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	c, u := rt.Context(), freerun.NewUnit(rt, 0)
	const here = "operation_declare_test.go:"
	for name, x := range map[string]struct {
		do   func()
		want []string
	}{
		"Send before":       {func() { bodyless.Send(c, u, 1) }, []string{"use of freerun_test.bodyless, declared at ", here, "before it has a function", "Define"}},
		"Tell before":       {func() { bodyless.Tell(c, u, 1) }, []string{"freerun_test.bodyless", here, "Define"}},
		"Call before":       {func() { bodyless.Call(t.Context(), u, 1) }, []string{"freerun_test.bodyless", here, "Define"}},
		"SendAfter before":  {func() { bodyless.SendAfter(c, 1, u, 1) }, []string{"freerun_test.bodyless", here, "Define"}},
		"Every before":      {func() { bodyless.Every(c, 1, u, 1) }, []string{"freerun_test.bodyless", here, "Define"}},
		"ReadOp before":     {func() { bodylessRead.Send(c, u, 1) }, []string{"freerun_test.bodyless.read", here, "Define"}},
		"FreeOp before":     {func() { bodylessFree.Send(c, 1) }, []string{"freerun_test.bodyless.free", here, "Define"}},
		"Op2 before":        {func() { bodylessTwo.Send(c, u, u, 1) }, []string{"freerun_test.bodyless.two", here, "Define"}},
		"OpAll before":      {func() { bodylessAll.Tell(c, nil, 1) }, []string{"freerun_test.bodyless.all", here, "Define"}},
		"ForkFunc before":   {func() { bodylessFork.Run(c, 1) }, []string{"a ForkFunc, declared at ", here, "Define"}},
		"twice":             {func() { freerun.Define(downFree, func(*freerun.Context, int) (int, error) { return 0, nil }) }, []string{"Define of freerun_test.down.free, which has got a function already, at ", here}},
		"declared with one": {func() { freerun.Define(small, func(*freerun.Context, int) (int, error) { return 0, nil }) }, []string{"freerun_test.small", "already", "inline_test.go:"}},
		"nil":               {func() { freerun.Define(bodylessFree, nil) }, []string{"freerun_test.bodyless.free", here, "nil function"}},
		"not declared":      {func() { freerun.Define(new(freerun.Operation[int, int, int]), nil) }, []string{"not declared", "Op"}},
		"zero":              {func() { new(freerun.FreeOperation[int, int]).Send(c, 1) }, []string{"not declared", "FreeOp"}},
		"nil operation":     {func() { neverAssigned.Send(c, u, 1) }, []string{"not declared", "Op"}},
	} {
		said := fmt.Sprint(panics(x.do))
		for _, part := range x.want {
			if !strings.Contains(said, part) {
				t.Errorf("%s: panicked with %q, which has no %q", name, said, part)
			}
		}
	}
}
