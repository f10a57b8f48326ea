//go:build gc && !freerun_portable

#include "textflag.h"

// func ForWrite(p unsafe.Pointer)
TEXT ·ForWrite(SB), NOSPLIT|NOFRAME, $0-8
	MOVD p+0(FP), R0
	PRFM (R0), PSTL1KEEP
	RET
