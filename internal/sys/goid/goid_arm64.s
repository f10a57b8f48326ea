//go:build gc && !freerun_portable && !go1.27

#include "textflag.h"

// func ID() uintptr
TEXT ·ID(SB), NOSPLIT|NOFRAME, $0-8
	MOVD g, R0
	MOVD R0, ret+0(FP)
	RET
