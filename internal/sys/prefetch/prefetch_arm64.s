//go:build gc && !freerun_portable && !go1.27

#include "textflag.h"

// func ForWrite(p unsafe.Pointer)
TEXT ·ForWrite(SB), NOSPLIT|NOFRAME, $0-8
	MOVD p+0(FP), R0
	PRFM (R0), PSTL1KEEP
	RET

// func RangeForWrite(p uintptr, lines int)
TEXT ·RangeForWrite(SB), NOSPLIT|NOFRAME, $0-16
	MOVD p+0(FP), R0
	MOVD lines+8(FP), R1
more:
	PRFM (R0), PSTL1KEEP
	ADD  $64, R0
	SUB  $1, R1
	CBNZ R1, more
	RET
