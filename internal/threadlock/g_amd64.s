//go:build gc && !freerun_portable && !go1.27

#include "textflag.h"

// func g() unsafe.Pointer
//
// As in package goid: thread-local storage is kept up to date by every operating system's port.
TEXT ·g(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ (TLS), AX
	MOVQ AX, ret+0(FP)
	RET
