package threadlock

import (
	"runtime"
	"testing"

	"github.com/freerun-go/freerun/internal/sys/goid"
)

// TestHeader fails when Go writes another header for a locked goroutine: then such a goroutine is
// not recognised where there is no word.
func TestHeader(t *testing.T) {
	if headerTells() {
		t.Error("the header says that a goroutine is locked which is not")
	}
	runtime.LockOSThread()
	if !headerTells() {
		var trace [128]byte
		t.Errorf("the header of a locked goroutine lacks %q:\n%s", mark, trace[:runtime.Stack(trace[:], false)])
	}
	runtime.UnlockOSThread()
	if headerTells() {
		t.Error("the header says that a goroutine is locked which has unlocked itself")
	}
}

// TestWord fails where the g can be read and not exactly one word of it tells.
func TestWord(t *testing.T) {
	if goid.G() == nil {
		t.Skip("this build does not read the g")
	}
	if way, why := Status(); way != "word" {
		t.Errorf("a locked goroutine is recognised by %q: %s", way, why)
	}
}

// ways runs a test in each way to recognise a locked goroutine.
func ways(t *testing.T, test func(t *testing.T)) {
	way, _ := Status()
	t.Run(way, test)
	if way != "header" {
		word := at
		at, byHeader = 0, true
		defer func() { at, byHeader = word, false }()
		t.Run("header", test)
	}
}

func TestHeldCountsLocks(t *testing.T) {
	ways(t, func(t *testing.T) {
		l := Mine()
		expect := func(want bool, when string) {
			if l.Held() != want || Held() != want {
				t.Errorf("%s: locked is %v, want %v", when, !want, want)
			}
		}
		expect(false, "at first")
		runtime.LockOSThread()
		expect(true, "locked")
		runtime.LockOSThread()
		runtime.Gosched()
		expect(true, "locked twice")
		runtime.UnlockOSThread()
		expect(true, "unlocked once")
		runtime.UnlockOSThread()
		expect(false, "unlocked")
	})
}

func TestRelease(t *testing.T) {
	ways(t, func(t *testing.T) {
		for n := range 5 {
			for range n {
				runtime.LockOSThread()
			}
			if !Release() || Held() {
				t.Errorf("still locked, of %d times", n)
			}
		}
	})
}

// TestOthersDoNotMatter has goroutines look at themselves while others are locked.
func TestOthersDoNotMatter(t *testing.T) {
	ways(t, func(t *testing.T) {
		const goroutines = 8
		done := make(chan bool)
		for i := range goroutines {
			go func() {
				ok, l := true, Mine()
				for range 100 {
					locks := i%2 == 0
					if locks {
						runtime.LockOSThread()
					}
					runtime.Gosched()
					ok = ok && l.Held() == locks
					if locks {
						runtime.UnlockOSThread()
					}
				}
				done <- ok
			}()
		}
		for range goroutines {
			if !<-done {
				t.Error("a goroutine took itself for what it is not")
			}
		}
	})
}

// TestSameThread holds that Thread tells threads apart.
func TestSameThread(t *testing.T) {
	if way, _ := Status(); way != "word" {
		t.Skip("the header does not tell the thread")
	}
	if Mine().Thread() != 0 {
		t.Error("an unlocked goroutine has a thread")
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	mine, others := Mine().Thread(), make(chan uintptr)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		others <- Mine().Thread()
	}()
	if other := <-others; mine == 0 || other == 0 || mine == other {
		t.Errorf("two threads are %#x and %#x", mine, other)
	}
}

func TestWordOf(t *testing.T) {
	for candidates, want := range map[uint64]bool{0: false, 1 << 26: true, 1<<26 | 1<<3: false, ^uint64(0): false} {
		if found := wordOf(candidates) != 0; found != want {
			t.Errorf("of the candidates %b a word is taken: %v, want %v", candidates, found, want)
		}
	}
}

func BenchmarkHeld(b *testing.B) {
	l := Mine()
	for b.Loop() {
		if l.Held() {
			b.Fatal("locked")
		}
	}
}

func BenchmarkHeader(b *testing.B) {
	for b.Loop() {
		if headerTells() {
			b.Fatal("locked")
		}
	}
}
