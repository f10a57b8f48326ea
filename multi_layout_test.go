package freerun

import (
	"sync/atomic"
	"testing"
	"unsafe"
)

// TestPartsLieBehind holds what multi.all relies on: the parts of a message to two units
// begin where its multi ends, whatever the alignment of argument and result.
func TestPartsLieBehind(t *testing.T) {
	type odd [2]byte
	check := func(name string, multiAt, parts uintptr) {
		if parts != multiAt+unsafe.Sizeof(multi{}) {
			t.Errorf("%s: the multi is at %d and the parts at %d", name, multiAt, parts)
		}
	}
	var a multiSend2[odd, byte]
	check("odd", unsafe.Offsetof(a.send.multi)+unsafe.Offsetof(a.send), unsafe.Offsetof(a.two))
	var b multiSend2[atomic.Int64, atomic.Int64]
	check("aligned", unsafe.Offsetof(b.send.multi)+unsafe.Offsetof(b.send), unsafe.Offsetof(b.two))
	var c multiTell2[odd]
	check("odd tell", unsafe.Offsetof(c.tell.multi)+unsafe.Offsetof(c.tell), unsafe.Offsetof(c.two))
	var d multiTell2[struct {
		x atomic.Int64
		y byte
	}]
	check("aligned tell", unsafe.Offsetof(d.tell.multi)+unsafe.Offsetof(d.tell), unsafe.Offsetof(d.two))
	if n := unsafe.Sizeof(unit{}); unsafe.Sizeof(uintptr(0)) == 8 && n > 88 {
		t.Errorf("a unit costs %d bytes", n)
	}
}
