package freerun

import (
	"sync/atomic"
	"testing"
	"unsafe"
)

// TestPartsLieBehind holds what several.all relies on: the parts of a message to two or three units begin where several ends, whatever the
// alignment of argument and result.
func TestPartsLieBehind(t *testing.T) {
	type odd [2]byte
	check := func(name string, joint, parts uintptr) {
		if parts != joint+unsafe.Sizeof(several{}) {
			t.Errorf("%s: several is at %d and the parts at %d", name, joint, parts)
		}
	}
	var a jointCall2[odd, byte]
	check("odd", unsafe.Offsetof(a.jointCall.several)+unsafe.Offsetof(a.jointCall), unsafe.Offsetof(a.two))
	var b jointCall3[atomic.Int64, atomic.Int64]
	check("aligned", unsafe.Offsetof(b.jointCall.several)+unsafe.Offsetof(b.jointCall), unsafe.Offsetof(b.three))
	var c jointNote2[odd]
	check("odd note", unsafe.Offsetof(c.jointNote.several)+unsafe.Offsetof(c.jointNote), unsafe.Offsetof(c.two))
	var d jointNote3[struct {
		x atomic.Int64
		y byte
	}]
	check("aligned note", unsafe.Offsetof(d.jointNote.several)+unsafe.Offsetof(d.jointNote), unsafe.Offsetof(d.three))
	if n := unsafe.Sizeof(unit{}); unsafe.Sizeof(uintptr(0)) == 8 && n > 88 {
		t.Errorf("a unit costs %d bytes", n)
	}
}
