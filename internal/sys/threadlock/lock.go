package threadlock

import (
	"bytes"
	"runtime"
	"sync"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sys/goid"
)

// Lock tells whether one goroutine is locked to its thread. It is of use while that goroutine lives, and to that goroutine only. Get it with [Mine]; [Never] is
// in place of none. The zero Lock must not be asked.
type Lock struct {
	word *uintptr // in the goroutine's g; or unlocked, where only the header tells
}

// unlocked is the word of those who have none of their own. It is never written.
var unlocked uintptr

// Never is the Lock of no goroutine: it is not held.
var Never = Lock{&unlocked}

// Mine returns the Lock of the running goroutine. The first call in the process takes some tens of microseconds.
func Mine() Lock {
	learned.Do(learn)
	if at == 0 {
		return Never
	}
	return Lock{(*uintptr)(unsafe.Add(goid.G(), at))}
}

// Held reports whether the goroutine, which calls it, is locked to its thread: at the cost of a load, or a microsecond where only the header tells.
func (l Lock) Held() bool { return *l.word != 0 || byHeader && headerTells() }

// HeldForSure is Held for places that must cost next to nothing: where only the header tells, it is false.
func (l Lock) HeldForSure() bool { return *l.word != 0 }

// Thread returns what tells the thread apart from others, while the goroutine is locked to it; 0 if it is not, or where only the header tells.
func (l Lock) Thread() uintptr { return *l.word }

// Held reports whether the running goroutine is locked to its thread.
func Held() bool { return Mine().Held() }

// mostLocks is how many calls of LockOSThread Release takes back.
const mostLocks = 1 << 12

// Release unlocks the running goroutine from its thread, as often as it has locked itself (4,096 times at most). It reports whether
// the goroutine is unlocked now: in a callback from C it stays locked.
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

// mark is what Go writes into the header of a goroutine that is locked to its thread.
const mark = ", locked to thread"

// traces keeps the room for a header between calls: handed to runtime.Stack, it would be allocated anew each time.
var traces = sync.Pool{New: func() any { return new([128]byte) }}

// headerTells reports whether the header of the running goroutine's stack trace says that it is locked to its thread.
func headerTells() bool {
	trace := traces.Get().(*[128]byte)
	header, _, _ := bytes.Cut(trace[:runtime.Stack(trace[:], false)], []byte("\n"))
	locked := bytes.Contains(header, []byte(mark))
	traces.Put(trace)
	return locked
}
