package threadlock

import (
	"bytes"
	"runtime"
	"sync"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sys/goid"
)

// Lock tells whether one goroutine is locked to its thread. Only that goroutine may call its
// methods. Get a Lock with [Mine]; [Never] is a Lock without a goroutine. The methods of the zero
// Lock must not be called.
type Lock struct {
	word *uintptr // in the goroutine's g; &unlocked if only the header tells
}

// unlocked is the word of a Lock without a word of its own. It is never written.
var unlocked uintptr

// Never is the Lock without a goroutine: its word says "not locked".
var Never = Lock{&unlocked}

// Mine returns the Lock of the running goroutine. The first call in the process takes some tens of
// microseconds.
func Mine() Lock {
	learned.Do(learn)
	if at == 0 {
		return Never
	}
	return Lock{(*uintptr)(unsafe.Add(goid.G(), at))}
}

// Held reports whether the calling goroutine, whose Lock this is, is locked to its thread. It costs
// a load, or a microsecond where only the header tells.
func (l Lock) Held() bool { return *l.word != 0 || byHeader && headerTells() }

// HeldForSure is Held for callers that can afford next to nothing: where only the header tells, it
// is false.
func (l Lock) HeldForSure() bool { return *l.word != 0 }

// Thread returns a value that differs between threads, while the goroutine is locked to one. It is
// 0 if the goroutine is not locked, or where only the header tells.
func (l Lock) Thread() uintptr { return *l.word }

// Held reports whether the running goroutine is locked to its thread.
func Held() bool { return Mine().Held() }

// mostLocks is the number of calls of LockOSThread that Release takes back.
const mostLocks = 1 << 12

// Release unlocks the running goroutine from its thread, as often as it has locked itself (4,096
// times at most). It reports whether the goroutine is unlocked now: in a callback from C it stays
// locked.
func Release() bool {
	l := Mine()
	for range mostLocks {
		if !l.Held() {
			return true
		}
		runtime.UnlockOSThread()
	}
	return false
}

// mark is Go's text in the header of a locked goroutine.
const mark = ", locked to thread"

// traces keeps buffers between calls: runtime.Stack makes a buffer escape, so each call would
// allocate.
var traces = sync.Pool{New: func() any { return new([128]byte) }}

// headerTells reports whether the header of the running goroutine's stack trace says that it is
// locked to its thread.
func headerTells() bool {
	trace := traces.Get().(*[128]byte)
	header, _, _ := bytes.Cut(trace[:runtime.Stack(trace[:], false)], []byte("\n"))
	locked := bytes.Contains(header, []byte(mark))
	traces.Put(trace)
	return locked
}
