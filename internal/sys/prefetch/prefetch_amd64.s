//go:build gc && !freerun_portable && !go1.27

#include "textflag.h"

// func ForWrite(p unsafe.Pointer)
TEXT ·ForWrite(SB), NOSPLIT|NOFRAME, $0-8
	MOVQ p+0(FP), AX
	BYTE $0x0F; BYTE $0x0D; BYTE $0x08 // PREFETCHW (AX), which the assembler does not know
	RET

// func RangeForWrite(p uintptr, lines int)
TEXT ·RangeForWrite(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ p+0(FP), AX
	MOVQ lines+8(FP), CX
more:
	BYTE $0x0F; BYTE $0x0D; BYTE $0x08 // PREFETCHW (AX)
	ADDQ $64, AX
	DECQ CX
	JG   more
	RET
