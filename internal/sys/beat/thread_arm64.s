//go:build gc && linux && !freerun_portable && !go1.27

#include "go_asm.h"
#include "textflag.h"

#define sigprocmask 135
#define nanosleep   101
#define clone       220
#define exit        93
#define futex       98

#define setMask     2
#define waitPrivate 128
#define EINTR       4
#define EAGAIN      11

// What Go's own threads have: CLONE_VM, FS, FILES, SIGHAND, THREAD, SYSVSEM; and CLONE_SETTLS,
// CLONE_PARENT_SETTID.
#define cloneFlags  0x1D0F00

#define LEFT   ·left+padded_Uint32(SB)
#define LATEST ·latest+padded_Uint32(SB)

// func spawn() int64
TEXT ·spawn(SB), NOSPLIT, $16-8
	MOVD $-1, R3
	MOVD R3, all-8(SP)
	MOVD $setMask, R0
	MOVD $all-8(SP), R1
	MOVD $old-16(SP), R2
	MOVD $8, R3
	MOVD $sigprocmask, R8
	SVC
	CBNZ R0, failed

	MOVD $cloneFlags, R0
	MOVD $·zeros+4096(SB), R1 // the stack
	AND  $~15, R1
	MOVD $·thread(SB), R2     // for the identity
	MOVD R1, R3               // thread-local storage
	MOVD ZR, R4
	MOVD $clone, R8
	SVC
	CBZ  R0, child
	MOVD R0, ret+0(FP)

	MOVD $setMask, R0
	MOVD $old-16(SP), R1
	MOVD ZR, R2
	MOVD $8, R3
	MOVD $sigprocmask, R8
	SVC
	RET
failed:
	MOVD R0, ret+0(FP)
	RET
child:
	MOVD ZR, R29 // no caller
	MOVD ZR, R30
	MOVD ZR, g   // no g
	B    freerunBeat<>(SB)

// freerunBeat is all that the thread does. It uses registers and global words, and no stack.
TEXT freerunBeat<>(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
pause:
	MOVD $·millisecond(SB), R0
	MOVD ZR, R1
	MOVD $nanosleep, R8
	SVC
	CBZ  R0, due
	CMN  $EINTR, R0
	BNE  leave
due:
	MOVWU LATEST, R9
	ADDW $1, R9
	CBNZW R9, number
	ADDW $1, R9
number:
	MOVD $LATEST, R10
	STLRW R9, (R10)
	MOVD ·word(SB), R10
	LDARW (R10), R11
	CBNZW R11, count
	STLRW R9, (R10) // only this thread takes it from 0
count:
	MOVD $LEFT, R10
again:
	LDAXRW (R10), R11
	SUBW $1, R11
	STLXRW R11, (R10), R12
	CBNZW R12, again
	CBNZW R11, pause
sleep:
	MOVD $LEFT, R0
	MOVD $waitPrivate, R1
	MOVD ZR, R2 // if it is 0
	MOVD ZR, R3 // for any time
	MOVD $futex, R8
	SVC
	MOVD $LEFT, R10
	LDARW (R10), R11
	CBNZW R11, pause
	CBZ  R0, sleep
	CMN  $EAGAIN, R0
	BEQ  sleep
	CMN  $EINTR, R0
	BEQ  sleep

// The system refuses a call, perhaps since a filter was set up. The next Keep finds left at 0, and
// has a goroutine beat.
leave:
	MOVD $const_refused, R11
	MOVD $·thread(SB), R10
	STLRW R11, (R10)
	MOVD $LEFT, R10
	STLRW ZR, (R10)
end:
	MOVD ZR, R0
	MOVD $exit, R8
	SVC
	B    end
