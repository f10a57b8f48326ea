//go:build gc && linux && !race && !freerun_portable && !go1.27

#include "go_asm.h"
#include "textflag.h"

// Places in g, gobuf and m, as Go 1.26 has them. code.go makes sure of them.
#define g_m  0x30
#define g_sp 0x38
#define g_pc 0x40
#define g_bp 0x60
#define m_g0 0x00

// The frame of coroswitch_m: what its end takes off before BP and the address to return to.
#define frame 0x80

// func swap()
//
// The code of a Switch, which DX leads to. R14 is the running g. It parks this goroutine, in resume, where the other one is
// parked, and runs that one. It parks as resume would be parked behind its first instruction, with the caller's BP on the stack:
// who unwinds the stack by frame pointers, as execution traces do, finds the caller then.
//
// The store to coroarg needs no write barrier: the Switch holds what is stored, and coroswitch_m clears coroarg at once.
TEXT ·swap(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ 8(DX), AX
	MOVQ ·code+runtimeCode_coroarg(SB), CX
	MOVQ AX, 0(R14)(CX*1)
	LEAQ ·resume+1(SB), BX
	MOVQ BX, g_pc(R14)
	MOVQ BP, -8(SP)
	LEAQ -8(SP), BX
	MOVQ BX, g_sp(R14)
	MOVQ BX, g_bp(R14)
	MOVQ R14, AX // the argument of coroswitch_m
	MOVQ g_m(R14), BX
	MOVQ m_g0(BX), R14
	MOVQ TLS, CX
	MOVQ R14, 0(CX)(TLS*1)
	MOVQ g_sp(R14), SP
	XORL BP, BP
	LEAQ -16(SP), SP // as for a call: room for the argument, and below it where to return to, which never happens
	LEAQ ·bottom+1(SB), BX
	MOVQ BX, 0(SP)
	MOVQ ·code+runtimeCode_coroswitchM(SB), BX
	JMP  BX

// func bottom()
//
// Stack traces of coroswitch_m end here.
TEXT ·bottom(SB), NOSPLIT|NOFRAME|TOPFRAME, $0-0
	BYTE $0x90 // a trace looks up the instruction before
	INT  $3

// func resume()
//
// A parked goroutine goes on here, behind the first instruction. The call that the core remembers last is that of gogo, so the
// return that it predicts leads to the end of coroswitch_m. That is given a frame to take off, and its return is the one of swap.
// The compiler has made sure that there are some hundred bytes of stack for functions that do not check.
TEXT ·resume(SB), NOSPLIT|NOFRAME, $0-0
	PUSHQ BP         // done by swap
	ADJSP $(frame+8) // which stack traces know of
	MOVQ  ·code+runtimeCode_end(SB), BX
	MOVQ  BX, 0(SP)
	MOVL  $1, AX // true: the result of next and yield
	BYTE  $0xC3  // RET, of which the assembler would say that it is not balanced

// func addressOfSwap() uintptr
TEXT ·addressOfSwap(SB), NOSPLIT|NOFRAME, $0-8
	LEAQ ·swap(SB), AX
	MOVQ AX, ret+0(FP)
	RET
