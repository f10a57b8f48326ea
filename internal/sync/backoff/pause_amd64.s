//go:build gc && !freerun_portable && !go1.27 && !explore

#include "textflag.h"

// func pause(n uint32)
TEXT ·pause(SB), NOSPLIT|NOFRAME, $0-4
	MOVL n+0(FP), AX
again:
	PAUSE
	SUBL $1, AX
	JGT  again
	RET
