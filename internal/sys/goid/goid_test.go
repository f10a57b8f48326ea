package goid_test

import (
	"fmt"
	"iter"
	"runtime"
	"sync"
	"testing"

	"github.com/freerun-go/freerun/internal/sys/goid"
)

func ExampleID() {
	mine := goid.ID()
	done := make(chan bool)
	go func() { done <- goid.ID() == mine }()
	fmt.Println(goid.ID() == mine, <-done)
	// Output: true false
}

// TestUniqueAmongLive holds many goroutines alive at once and compares their identities.
func TestUniqueAmongLive(t *testing.T) {
	const goroutines = 10_000
	identities := make(chan uintptr, goroutines)
	release := make(chan struct{})
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			identities <- goid.ID()
			<-release
		})
	}
	// 0 counts as taken, so a goroutine called 0 is caught
	seen := map[uintptr]bool{0: true, goid.ID(): true}
	for range goroutines {
		id := <-identities
		if seen[id] {
			t.Errorf("identity %#x is 0 or belongs to two live goroutines", id)
		}
		seen[id] = true
	}
	close(release)
	all.Wait()
}

// TestStable asks again after everything that could move the source of an identity: another thread,
// a larger stack, a smaller one, a collection.
func TestStable(t *testing.T) {
	var all sync.WaitGroup
	for range 4 * runtime.GOMAXPROCS(0) {
		all.Go(func() {
			first := goid.ID()
			check := func(after string) {
				if again := goid.ID(); again != first {
					t.Errorf("identity was %#x, after %s it is %#x", first, after, again)
				}
			}
			for range 20 {
				deepest := descend(2_000)
				if deepest != first {
					t.Errorf("identity was %#x, on a grown stack it is %#x", first, deepest)
				}
				check("growing the stack")
				runtime.GC() // also shrinks the stack
				check("a collection")
				for range 100 {
					runtime.Gosched()
					check("giving way")
				}
			}
		})
	}
	all.Wait()
}

// descend returns the identity seen from depth frames further down, which needs a larger stack than
// a goroutine starts with.
//
//go:noinline
func descend(depth int) uintptr {
	var frame [64]byte
	if depth == 0 {
		return goid.ID()
	}
	frame[depth%len(frame)] = 1
	id := descend(depth - 1)
	if frame[depth%len(frame)] != 1 {
		return 0
	}
	return id
}

func TestLockedThread(t *testing.T) {
	before := goid.ID()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	runtime.Gosched()
	if after := goid.ID(); after != before {
		t.Errorf("identity was %#x, on a locked thread it is %#x", before, after)
	}
}

// TestCoroutine holds that a coroutine has an identity of its own, and the same one at each
// resumption.
func TestCoroutine(t *testing.T) {
	next, stop := iter.Pull(func(yield func(uintptr) bool) {
		for yield(goid.ID()) {
		}
	})
	defer stop()
	first, _ := next()
	for range 100 {
		runtime.Gosched()
		if again, _ := next(); again != first {
			t.Fatalf("the coroutine's identity was %#x, now it is %#x", first, again)
		}
	}
	if mine := goid.ID(); mine == first {
		t.Errorf("the coroutine and its caller share the identity %#x", mine)
	}
}

func TestDeferredAndRecovered(t *testing.T) {
	mine := goid.ID()
	defer func() {
		if recover() == nil {
			t.Error("nothing was recovered")
		}
		if got := goid.ID(); got != mine {
			t.Errorf("identity was %#x, while recovering it is %#x", mine, got)
		}
	}()
	panic("on purpose")
}

func TestDoesNotAllocate(t *testing.T) {
	if got := testing.AllocsPerRun(1000, func() { sink = goid.ID() }); got != 0 {
		t.Errorf("ID allocates %v times a call, want 0", got)
	}
}

var sink uintptr

func BenchmarkID(b *testing.B) {
	var last uintptr
	for b.Loop() {
		last = goid.ID()
	}
	sink = last
}

func BenchmarkIDParallel(b *testing.B) {
	b.RunParallel(func(pb *testing.PB) {
		mine := goid.ID()
		for pb.Next() {
			if goid.ID() != mine {
				b.Error("the identity changed")
			}
		}
	})
}
