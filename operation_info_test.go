package freerun_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun"
)

type (
	infoState int
	infoOther string
)

// listed has one of each constructor. Two have no function yet: they are declared all the same.
var (
	listedOp    = freerun.Op("listed.op", func(*freerun.Context, *infoState, int) (string, error) { return "", nil })
	listedRead  = freerun.ReadOp[infoState, uint8, bool]("listed.read", nil)
	listedFree  = freerun.FreeOp("listed.free", func(*freerun.Context, string) (int, error) { return 0, nil })
	listedSmall = freerun.SmallOp("listed.small", func(*freerun.Context, int8) (int16, error) { return 0, nil })
	listedTwo   = freerun.Op2("listed.two", func(*freerun.Context, *infoState, *infoOther, int32) (int64, error) { return 0, nil })
	listedAll   = freerun.OpAll("listed.all", func(*freerun.Context, []*infoOther, []byte) (error, error) { return nil, nil })
	_           = freerun.NewKind[string, infoState]("listed.kind", nil)
)

// TestOperations: all constructors are listed, with their types, in the order of names, once each.
func TestOperations(t *testing.T) {
	const in = "github.com/freerun-go/freerun_test."
	state, other := reflect.TypeFor[infoState](), reflect.TypeFor[infoOther]()
	want := []freerun.OperationInfo{
		{Name: freerun.NameOf(listedAll), Constructor: "OpAll", States: []reflect.Type{other}, Arg: reflect.TypeFor[[]byte](), Result: reflect.TypeFor[error]()},
		{Name: freerun.NameOf(listedFree), Constructor: "FreeOp", Arg: reflect.TypeFor[string](), Result: reflect.TypeFor[int]()},
		{Name: in + "listed.kind", Constructor: "NewKind", States: []reflect.Type{state}, Arg: reflect.TypeFor[string]()},
		{Name: freerun.NameOf(listedOp), Constructor: "Op", States: []reflect.Type{state}, Arg: reflect.TypeFor[int](), Result: reflect.TypeFor[string]()},
		{Name: freerun.NameOf(listedRead), Constructor: "ReadOp", States: []reflect.Type{state}, Arg: reflect.TypeFor[uint8](), Result: reflect.TypeFor[bool]()},
		{Name: freerun.NameOf(listedSmall), Constructor: "SmallOp", Arg: reflect.TypeFor[int8](), Result: reflect.TypeFor[int16]()},
		{Name: freerun.NameOf(listedTwo), Constructor: "Op2", States: []reflect.Type{state, other}, Arg: reflect.TypeFor[int32](), Result: reflect.TypeFor[int64]()},
	}
	// The second round finds what a loop before it has written to its copies.
	for range 2 {
		var got []freerun.OperationInfo
		last := ""
		for info := range freerun.Operations() {
			if info.Name <= last {
				t.Errorf("%s is listed after %s", info.Name, last)
			}
			if last = info.Name; strings.HasSuffix(last, "unit.stop") || strings.HasSuffix(last, "kind.keep") {
				t.Errorf("an operation of the runtime is listed: %s", last)
			}
			if !strings.HasPrefix(last, in+"listed.") {
				continue
			}
			if !strings.Contains(info.Place, "operation_info_test.go:") {
				t.Errorf("%s is declared at %q", last, info.Place)
			}
			kept := info
			kept.Place = ""
			kept.States = append([]reflect.Type(nil), info.States...)
			got = append(got, kept)
			clear(info.States)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("listed:\n%v\nwant:\n%v", got, want)
		}
	}
}

// loops is the number of runs of TestOperationsEndsEarly.
var loops atomic.Int32

// TestOperationsEndsEarly: a loop may leave, and does not get what is declared while it runs.
func TestOperationsEndsEarly(t *testing.T) {
	late := fmt.Sprintf("zz declared in loop %d", loops.Add(1)) // the test may run again
	n := 0
	for range freerun.Operations() {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("the loop got %d operations, want 3", n)
	}
	for info := range freerun.Operations() {
		if strings.HasSuffix(info.Name, late) {
			t.Error("the loop got what it has declared")
		}
		if n == 3 {
			declareNamed(late)
			n++
		}
	}
}

// TestErrDeclaredTwice: the panic is an error that tells what the name stood for.
func TestErrDeclaredTwice(t *testing.T) {
	kind := func(name string) { freerun.NewKind[string, infoState](name, nil) }
	for _, c := range []struct {
		about string
		again func()
		want  string
	}{
		{"operations", func() { declareNamed("listed.op") }, `declares operation "listed.op" twice, first at `},
		{"kinds", func() { kind("listed.kind") }, `declares kind "listed.kind" twice, first at `},
		{"a kind after an operation", func() { kind("listed.op") }, `declares kind "listed.op" twice, first as an operation, now as a kind, first at `},
		{"an operation after a kind", func() { declareNamed("listed.kind") }, `declares operation "listed.kind" twice, first as a kind, now as an operation, first at `},
	} {
		err, _ := panics(c.again).(error)
		if !errors.Is(err, freerun.ErrDeclaredTwice) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: panicked with %v, want an ErrDeclaredTwice with %q", c.about, err, c.want)
		}
	}
	if err, _ := panics(func() { declareNamed("") }).(error); errors.Is(err, freerun.ErrDeclaredTwice) {
		t.Errorf("no name: panicked with %v", err)
	}
}
