//go:build gc && !freerun_portable && !go1.27 && !explore

#include "textflag.h"

// func pause(n uint32)
//
// YIELD is none on most processors. An instruction barrier takes some ten nanoseconds, as PAUSE does.
TEXT ·pause(SB), NOSPLIT|NOFRAME, $0-4
	MOVWU n+0(FP), R0
again:
	ISB  $15
	SUBW $1, R0
	CBNZW R0, again
	RET
