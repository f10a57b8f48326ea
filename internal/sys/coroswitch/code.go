//go:build gc && linux && amd64 && !race && !freerun_portable && !go1.27

package coroswitch

import (
	"encoding/binary"
	"runtime"
	"strings"
	"unsafe"
)

// gPC is the offset in a g of where the goroutine goes on, as in switch_amd64.s.
const gPC = 0x40

// The machine code that this package was written for, up to the last instruction that swap has in
// some form. Dots are where it differs from program to program: a distance to something else, or
// the place of coroarg in a g, which `freerun build` moves. An instruction behind a bar is the same
// in programs that may lie anywhere (-buildmode=pie).
const (
	// coroswitchCode has coroswitch(c): getg().coroarg = c, and mcall(coroswitch_m).
	coroswitchCode = `
		493b6610                 CMPQ SP, 16(R14)    room on the stack
		7647                     JBE
		55                       PUSHQ BP
		4889e5                   MOVQ SP, BP
		4883ec10                 SUBQ $16, SP
		4c89742408               MOVQ R14, 8(SP)
		833d........00           CMPL runtime.writeBarrier(SB), $0
		7413                     JE
		498b8e........           MOVQ g_coroarg(R14), CX
		e8........               CALL runtime.gcWriteBarrier2(SB)
		498903                   MOVQ AX, 0(R11)
		49894b08                 MOVQ CX, 8(R11)
		488b4c2408               MOVQ 8(SP), CX
		488981........           MOVQ AX, g_coroarg(CX)
		488d05........           LEAQ runtime.coroswitch_m·f(SB), AX
		e8........               CALL runtime.mcall(SB)`

	// mcallCode has mcall, up to its call.
	mcallCode = `
		55                       PUSHQ BP
		4889e5                   MOVQ SP, BP
		4889c2                   MOVQ AX, DX
		4889e3                   MOVQ SP, BX
		488b5b08                 MOVQ 8(BX), BX
		49895e40                 MOVQ BX, 0x40(R14)
		488d5c2410               LEAQ 16(SP), BX
		49895e38                 MOVQ BX, 0x38(R14)
		488b5d00                 MOVQ 0(BP), BX
		49895e60                 MOVQ BX, 0x60(R14)
		498b5e30                 MOVQ 0x30(R14), BX
		488b33                   MOVQ 0(BX), SI
		4c39f6                   CMPQ SI, R14
		7505                     JNE
		e9........               JMP runtime.badmcall(SB)
		4c89f0                   MOVQ R14, AX
		4989f6                   MOVQ SI, R14
		644c893425........|48c7c1........644c8931 MOVQ R14, (TLS)
		498b6638                 MOVQ 0x38(R14), SP
		48c7c500000000           MOVQ $0, BP
		50                       PUSHQ AX
		4c8b22                   MOVQ 0(DX), R12
		41ffd4                   CALL R12`

	// gogoCode has gogo, up to its jump to gogo<>, and gogoInnerCode that.
	gogoCode = `
		488b5c2408               MOVQ 8(SP), BX
		488b5310                 MOVQ 16(BX), DX
		488b0a                   MOVQ 0(DX), CX
		e9........               JMP gogo<>(SB)`
	gogoInnerCode = `
		6448891425........|48c7c1........64488911 MOVQ DX, (TLS)
		4989d6                   MOVQ DX, R14
		488b23                   MOVQ 0(BX), SP
		488b5318                 MOVQ 24(BX), DX
		488b6b28                 MOVQ 40(BX), BP
		48c70300000000           MOVQ $0, 0(BX)
		48c7431800000000         MOVQ $0, 24(BX)
		48c7432800000000         MOVQ $0, 40(BX)
		488b5b08                 MOVQ 8(BX), BX
		ffe3                     JMP BX`

	// endCode has the end of coroswitch_m, which is never reached otherwise.
	endCode = `
		e8........               CALL runtime.gogo(SB)
		450f57ff                 XORPS X15, X15
		644c8b3425........|49c7c6........644d8b36 MOVQ (TLS), R14
		4883ec80                 SUBQ $-0x80, SP
		5d                       POPQ BP
		c3                       RET`
)

// runtimeCode has the places in Go's runtime that swap and resume use.
type runtimeCode struct {
	coroarg     uintptr // its place in a g
	coroswitchM uintptr // the address of runtime.coroswitch_m, where swap jumps
	end         uintptr // in coroswitch_m, behind the call of gogo, through which resume returns
}

// find finds the runtime's code. pc is where a goroutine goes on that runtime.coroswitch has
// parked. It reports false unless all is as expected.
func find(pc uintptr) (c runtimeCode, ok bool) {
	gaps, ok := compare(entryOf(pc, "runtime.coroswitch"), coroswitchCode)
	if !ok || gaps[1].value != gaps[3].value {
		return c, false
	}
	c.coroarg = uintptr(gaps[1].value)
	function, mcall := gaps[4].target(), gaps[5].target()
	if _, ok = compare(entryOf(mcall, "runtime.mcall"), mcallCode); !ok {
		return c, false
	}
	c.coroswitchM = entryOf(*(*uintptr)(pointerTo(function)), "runtime.coroswitch_m")
	if c.coroswitchM == 0 {
		return c, false
	}
	const farthest = 4096
	for at := c.coroswitchM; at < c.coroswitchM+farthest; at++ {
		if !has(at, "e8") { // for speed: it is compared once for each process
			continue
		}
		if gaps, ok := compare(at, endCode); ok {
			c.end = gaps[0].end
			return c, isIn(at, c.coroswitchM) && isGogo(gaps[0].target())
		}
	}
	return c, false
}

// isGogo reports whether runtime.gogo is at an address, and is as expected.
func isGogo(address uintptr) bool {
	gaps, ok := compare(entryOf(address, "runtime.gogo"), gogoCode)
	if ok {
		_, ok = compare(gaps[0].target(), gogoInnerCode)
	}
	return ok
}

// gap is a part of the code that the listing leaves open.
type gap struct {
	value int32
	end   uintptr // the address behind it
}

// target returns where the gap leads, if it is the distance at the end of an instruction.
func (g gap) target() uintptr { return g.end + uintptr(g.value) }

// entryOf returns the address of the function at pc, 0 if it has another name.
func entryOf(pc uintptr, name string) uintptr {
	if f := runtime.FuncForPC(pc); f != nil && f.Name() == name {
		return f.Entry()
	}
	return 0
}

// isIn reports whether pc is in the function at this address, or in what was inlined there.
func isIn(pc, entry uintptr) bool {
	f := runtime.FuncForPC(pc)
	return f != nil && f.Entry() == entry
}

// compare reports whether the code at an address is that of the listing, and returns the gaps. It
// reads no further than to the first instruction that differs.
func compare(address uintptr, listing string) (gaps []gap, ok bool) {
	if address == 0 {
		return nil, false
	}
	for line := range strings.Lines(listing) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		var g gap
		var size uintptr
		for form := range strings.SplitSeq(words[0], "|") {
			if g, size = match(address, form); size != 0 {
				break
			}
		}
		if size == 0 {
			return nil, false
		}
		if g.end != 0 {
			gaps = append(gaps, g)
		}
		address += size
	}
	return gaps, true
}

// match returns the size of the instruction at an address, and its gap if there is one; 0 if it is
// another one.
func match(address uintptr, form string) (g gap, size uintptr) {
	head, tail, open := strings.Cut(form, "........")
	if !has(address, head) {
		return gap{}, 0
	}
	size = uintptr(len(head) / 2)
	if open {
		value := binary.LittleEndian.Uint32(unsafe.Slice((*byte)(pointerTo(address+size)), 4))
		size += 4
		g = gap{int32(value), address + size}
	}
	if !has(address+size, tail) {
		return gap{}, 0
	}
	return g, size + uintptr(len(tail)/2)
}

// has reports whether the bytes at an address are these, in hexadecimal.
func has(address uintptr, code string) bool {
	for i := 0; i < len(code); i += 2 {
		b := *(*byte)(pointerTo(address + uintptr(i/2)))
		if digits[b>>4] != code[i] || digits[b&15] != code[i+1] {
			return false
		}
	}
	return true
}

const digits = "0123456789abcdef"

// pointerTo is the pointer to what does not move: code, and what the linker has placed.
func pointerTo(address uintptr) unsafe.Pointer {
	return *(*unsafe.Pointer)(unsafe.Pointer(&address))
}
