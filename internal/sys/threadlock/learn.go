package threadlock

import (
	"runtime"
	"sync"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sys/goid"
)

// The result of the first call of Mine.
var (
	learned  sync.Once
	at       uintptr // offset of the word in the g; 0: not known
	byHeader bool    // only the header tells
)

// words is the number of words of the g that are compared. The g has far more; in all versions so
// far the word was in the first half of these.
const words = 40

// witnesses is the number of goroutines that must agree on the word.
const witnesses = 3

func learn() {
	marked, agreed := true, ^uint64(0)
	for range witnesses {
		found := make(chan uint64)
		go func() { // the caller may be locked itself
			same, right := examine()
			marked = marked && right
			found <- same
		}()
		agreed &= <-found
	}
	at, byHeader = wordOf(agreed), false
	if at == 0 {
		byHeader = marked
	}
}

// wordOf returns the offset of the word that the bits of candidates name, 0 if that is not exactly
// one.
func wordOf(candidates uint64) uintptr {
	for i := range words {
		if candidates == 1<<i {
			return uintptr(i) * unsafe.Sizeof(uintptr(0))
		}
	}
	return 0
}

// examine locks and unlocks the running goroutine, which is not locked before. It returns, as bits,
// the words of the g that show the lock, and whether the header showed it.
func examine() (candidates uint64, marked bool) {
	before, first := look(), headerTells()
	runtime.LockOSThread()
	runtime.LockOSThread()
	twice, second := look(), headerTells()
	runtime.UnlockOSThread()
	once, third := look(), headerTells()
	runtime.UnlockOSThread()
	after, last := look(), headerTells()
	marked = !first && second && third && !last
	for i, thread := range twice {
		if thread == 0 || once[i] != thread || before[i] != 0 || after[i] != 0 {
			continue
		}
		for j := range i { // in a g the running thread comes before the thread of the lock
			if twice[j] == thread && once[j] == thread {
				candidates |= 1 << i
			}
		}
	}
	return candidates, marked
}

// look returns the first words of the running goroutine's g. Other threads may write some of them
// meanwhile.
//
//go:norace
func look() (now [words]uintptr) {
	if p := goid.G(); p != nil {
		for i := range now {
			now[i] = *(*uintptr)(unsafe.Add(p, uintptr(i)*unsafe.Sizeof(now[0])))
		}
	}
	return now
}

// Status returns, as texts for reports, the way in which a locked goroutine is recognised, and the
// reason.
func Status() (way, why string) {
	learned.Do(learn)
	switch {
	case at != 0:
		return "word", "a word of Go's g tells; it was found when the process began, and costs a load to read"
	case byHeader:
		return "header", "this build, or this version of Go, has no word of the g that tells; the header of a stack trace does, which costs a microsecond to read"
	}
	return "none", "neither a word of Go's g nor the header of a stack trace tells: this version of Go writes something else"
}
