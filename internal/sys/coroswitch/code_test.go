//go:build gc && linux && amd64 && !race && !freerun_portable && !go1.27

package coroswitch

import (
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// TestUnknown holds that code that differs in one byte is not taken for what is known.
func TestUnknown(t *testing.T) {
	if _, ok := find(reflect.ValueOf(runtime.Gosched).Pointer()); ok {
		t.Error("Gosched is taken for coroswitch")
	}
	if _, ok := find(0); ok {
		t.Error("nothing is taken for coroswitch")
	}
	code := []byte{0xc3, 0xe8, 1, 2, 3, 4, 0x55}
	at := reflect.ValueOf(code).Pointer() + 1
	if gaps, ok := compare(at, "ff|e8........ CALL\n\n 55 PUSHQ"); !ok || len(gaps) != 1 || gaps[0].value != 0x04030201 || gaps[0].end != at+5 {
		t.Errorf("%+v, %v", gaps, ok)
	}
	for _, listing := range []string{"e8........\n56", "e9........", "e8........56", "e8|ff\n55"} {
		if _, ok := compare(at, listing); ok {
			t.Errorf("%q is taken for %x", strings.Fields(listing), code[1:])
		}
	}
}
