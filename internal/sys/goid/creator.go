//go:build gc && (amd64 || arm64) && !freerun_portable && !go1.27

package goid

import (
	"iter"
	"runtime"
	"sync"
	"unsafe"
)

// KnowsCreators reports whether this build, with a version of Go that it was tested with, can find
// creators.
const KnowsCreators = true

// Number returns the number of the running goroutine, 0 if it is not known. Creator returns such
// numbers. Any goroutine may call it; it does not wait. The first call in a process takes some tens
// of microseconds, and starts goroutines that end before it returns.
func Number() uint64 { return read(layout().number) }

// Creator returns the number of the goroutine that made the running goroutine, if the running one
// is a coroutine of iter.Pull. It returns 0 otherwise, and where the number is not known. Any
// goroutine may call it; it does not wait.
func Creator() uint64 {
	l := layout()
	if l.coroutine == 0 || read(l.start) != l.coroutine {
		return 0
	}
	return read(l.creator)
}

// offsets are the places in a g of its number, its creator's number, and the address of the code
// with which it began; 0 if they were not found.
type offsets struct {
	number, creator, start uintptr
	coroutine              uint64 // the value of the word at start in coroutines of iter.Pull
}

// words is the number of words of a g that are compared; it has more.
const words = 44

// read returns the word at an offset of the running goroutine's g; 0 for the offset 0.
func read(at uintptr) uint64 {
	if at == 0 {
		return 0
	}
	return *(*uint64)(unsafe.Add(G(), at))
}

type sample [words]uint64

// take first has Go save where the goroutine is: until then the g's word for where to go on has the
// address of its first code. Callers does that, as it runs on the stack of the thread. So would
// Gosched, but it puts the goroutine behind all others that are ready, for 10 ms if one of them
// computes.
func take() (s sample) {
	var pc [1]uintptr
	runtime.Callers(1, pc[:])
	for i := range s {
		s[i] = read(uintptr(8 * i))
	}
	return s
}

// layout finds the offsets by comparing goroutines whose creators are known. It looks for offsets
// that fit all families. If not exactly one fits for each word, all offsets are 0: creators are not
// known then, and no caller depends on them.
//
// Each goroutine is waited for at once, so it runs next, whatever else is ready to run.
var layout = sync.OnceValue(findLayout)

func findLayout() offsets {
	type family struct{ parent, child, coroutine sample }
	families := make([]family, 8)
	for i := range families {
		f := &families[i]
		done := make(chan struct{})
		go func() {
			defer close(done)
			f.parent = take()
			ended := make(chan struct{})
			go func() { f.child = take(); close(ended) }()
			<-ended
			// Two types, since each instance of Pull makes its coroutine at a go statement of its
			// own.
			if i%2 == 0 {
				next, stop := iter.Pull(func(yield func(int) bool) { f.coroutine = take(); yield(0) })
				next()
				stop()
			} else {
				next, stop := iter.Pull(func(yield func(string) bool) { f.coroutine = take(); yield("") })
				next()
				stop()
			}
		}()
		<-done
	}
	var l offsets
	found := 0
	for n := 1; n < words; n++ {
		for c := 1; c < words; c++ {
			fits := n != c
			for i := 0; fits && i < len(families); i++ {
				f := &families[i]
				number := f.parent[n]
				fits = number != 0 && number < 1<<36 && f.child[c] == number && f.coroutine[c] == number && f.child[n] != number &&
					f.coroutine[n] != number && f.child[n] != f.coroutine[n] && (i == 0 || number != families[i-1].parent[n])
			}
			if fits {
				l.number, l.creator = uintptr(8*n), uintptr(8*c)
				found++
			}
		}
	}
	if found != 1 {
		return offsets{}
	}
	found = 0
	first := &families[0]
	for s := 1; s < words; s++ {
		code := first.coroutine[s]
		fits := code != first.child[s] && isFunction(code) && isFunction(first.child[s]) && isFunction(first.parent[s])
		for i := 0; fits && i < len(families); i++ {
			f := &families[i]
			fits = f.coroutine[s] == code && f.child[s] == first.child[s] && f.parent[s] == first.parent[s] && f.parent[s] != code && f.parent[s] != f.child[s]
		}
		if fits {
			l.start, l.coroutine = uintptr(8*s), code
			found++
		}
	}
	if found != 1 {
		return offsets{}
	}
	return l
}

// isFunction reports whether a function begins at the address. The words for the stack of a g may
// be the same in all children, and the same in all coroutines, since Go uses stacks again.
func isFunction(address uint64) bool {
	f := runtime.FuncForPC(uintptr(address))
	return f != nil && f.Entry() == uintptr(address)
}
