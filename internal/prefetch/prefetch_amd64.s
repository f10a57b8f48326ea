//go:build gc && !freerun_portable

#include "textflag.h"

// func ForWrite(p unsafe.Pointer)
TEXT ·ForWrite(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ p+0(FP), AX
	BYTE $0x0F; BYTE $0x0D; BYTE $0x08 // PREFETCHW (AX), which the assembler does not know
	RET
