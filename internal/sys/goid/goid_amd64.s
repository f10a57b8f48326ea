//go:build gc && !freerun_portable && !go1.27

#include "textflag.h"

// func ID() uintptr
//
// R14 holds g only in the compiler's own calling convention; assembly of other packages is called in the stable one, where
// thread-local storage is the place that every operating system's port keeps up to date.
TEXT ·ID(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET
