//go:build gc && (amd64 || arm64) && !freerun_portable && !go1.27

package goid

import (
	"iter"
	"runtime"
	"sync"
	"unsafe"
)

// KnowsCreators says whether this build can find creators, with a Go that it was tested with.
const KnowsCreators = true

// Number returns the number of the running goroutine that Creator tells, 0 if it is not known here.
// Any goroutine; it does not wait. The first call in a process takes some microseconds, and starts
// goroutines that end before it returns.
func Number() uint64 { return read(layout().number) }

// Creator returns the number of the goroutine that made the running one, if that is a coroutine of
// iter.Pull; 0 otherwise, and where it is not known. Any goroutine; it does not wait.
func Creator() uint64 {
	l := layout()
	if l.coroutine == 0 || read(l.start) != l.coroutine {
		return 0
	}
	return read(l.creator)
}

// offsets are where a g has its number, that of its creator, and the address of the code that it
// began with; 0 if they were not found.
type offsets struct {
	number, creator, start uintptr
	coroutine              uint64 // what the last one is in coroutines of iter.Pull
}

// words of a g are looked at; it has more. Numbers are below the addresses of Go's heap.
const words = 44

// read returns the word at an offset of the running goroutine's g; 0 for the offset 0.
func read(at uintptr) uint64 {
	if at == 0 {
		return 0
	}
	return *(*uint64)(unsafe.Add(G(), at))
}

type sample [words]uint64

// take gives way first, so that where the goroutine goes on is no longer where it began.
func take() (s sample) {
	runtime.Gosched()
	for i := range s {
		s[i] = read(uintptr(8 * i))
	}
	return s
}

// layout finds the offsets by comparing goroutines whose kin is known. It looks for offsets that
// hold in all families. If not exactly one is left for each, nothing is known; nothing depends on
// it.
var layout = sync.OnceValue(func() offsets {
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
			// Pull of two types, as the statement that makes a coroutine is another one for each.
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
			for i, f := range families {
				number := f.parent[n]
				fits = fits && number != 0 && number < 1<<36 && f.child[c] == number && f.coroutine[c] == number && f.child[n] != number &&
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
		fits := code > 1<<12 && first.child[s] > 1<<12 && code != first.child[s]
		for i := range families {
			f := &families[i]
			fits = fits && f.coroutine[s] == code && f.child[s] == first.child[s] && f.parent[s] == first.parent[s] && f.parent[s] != code && f.parent[s] != f.child[s]
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
})
