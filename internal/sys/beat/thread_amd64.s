//go:build gc && linux && !freerun_portable && !go1.27

#include "go_asm.h"
#include "textflag.h"

#define sigprocmask 14
#define nanosleep   35
#define clone       56
#define exit        60
#define futex       202

#define setMask     2
#define waitPrivate 128
#define EINTR       4
#define EAGAIN      11

// What Go's own threads have: CLONE_VM, FS, FILES, SIGHAND, THREAD, SYSVSEM, SETTLS; and
// CLONE_PARENT_SETTID.
#define cloneFlags  0x1D0F00

#define LEFT   ·left+padded_Uint32(SB)
#define LATEST ·latest+padded_Uint32(SB)

// func spawn() int64
TEXT ·spawn(SB), NOSPLIT, $16-8
	MOVQ $-1, all-8(SP)
	MOVL $setMask, DI
	LEAQ all-8(SP), SI
	LEAQ old-16(SP), DX
	MOVL $8, R10
	MOVL $sigprocmask, AX
	SYSCALL
	TESTQ AX, AX
	JNE  failed

	MOVL $cloneFlags, DI
	LEAQ ·zeros+4096(SB), SI // the stack
	LEAQ ·thread(SB), DX     // for the identity
	XORL R10, R10
	MOVQ SI, R8              // thread-local storage
	MOVL $clone, AX
	SYSCALL
	TESTQ AX, AX
	JEQ  child
	MOVQ AX, ret+0(FP)

	MOVL $setMask, DI
	LEAQ old-16(SP), SI
	XORL DX, DX
	MOVL $8, R10
	MOVL $sigprocmask, AX
	SYSCALL
	RET
failed:
	MOVQ AX, ret+0(FP)
	RET
child:
	XORL BP, BP   // no caller
	XORL R14, R14 // no g
	JMP  freerunBeat<>(SB)

// freerunBeat is all that the thread does. It uses registers and global words, and no stack.
TEXT freerunBeat<>(SB), NOSPLIT|NOFRAME|TOPFRAME, $0
pause:
	LEAQ ·millisecond(SB), DI
	XORL SI, SI
	MOVL $nanosleep, AX
	SYSCALL
	TESTQ AX, AX
	JEQ  due
	CMPQ AX, $-EINTR
	JNE  leave
due:
	MOVL LATEST, BX
	INCL BX
	JNE  number
	INCL BX
number:
	MOVL BX, LATEST
	MOVQ ·word(SB), R12
	CMPL (R12), $0
	JNE  count
	MOVL BX, (R12) // only this thread takes it from 0
count:
	LOCK
	DECL LEFT
	JNE  pause
sleep:
	LEAQ LEFT, DI
	MOVL $waitPrivate, SI
	XORL DX, DX   // if it is 0
	XORL R10, R10 // for any time
	MOVL $futex, AX
	SYSCALL
	CMPL LEFT, $0
	JNE  pause
	TESTQ AX, AX
	JEQ  sleep
	CMPQ AX, $-EAGAIN
	JEQ  sleep
	CMPQ AX, $-EINTR
	JEQ  sleep

// The system refuses a call, perhaps since a filter was set up. The next Keep finds left at 0, and
// has a goroutine beat.
leave:
	MOVL $const_refused, AX
	MOVL AX, ·thread(SB)
	MOVL $0, LEFT
end:
	XORL DI, DI
	MOVL $exit, AX
	SYSCALL
	JMP  end
