package atomics_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// TestRelaxedPointer publishes a plain value through a relaxed pointer that an atomic word
// confirms, as the deque does.
func TestRelaxedPointer(t *testing.T) {
	const rounds = 100_000
	var p atomics.RelaxedPointer[int]
	var published atomic.Int64
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range rounds {
			v := new(int)
			*v = i
			p.Store(v)
			published.Store(int64(i))
		}
	})
	for last := 0; last < rounds-1; {
		at := int(published.Load())
		if v := p.Load(); v != nil {
			if w := p.LoadAcquire(); *w < *v {
				t.Fatalf("a later load gave %d after %d", *w, *v)
			}
			if *v < at {
				t.Fatalf("%d was published, and %d read", at, *v)
			}
			last = *v
		}
	}
	wg.Wait()
}

// TestRelaxedWords counts with one writer and reads from another goroutine.
func TestRelaxedWords(t *testing.T) {
	const rounds = 100_000
	var n atomics.RelaxedUint64
	var w atomics.RelaxedUintptr
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range rounds {
			n.Add(2)
			w.Store(uintptr(n.Load()))
		}
	}()
	for last := uint64(0); last < 1000; {
		now := n.Load()
		if now < last || now%2 != 0 {
			t.Fatalf("read %d after %d", now, last)
		}
		last = now
		select {
		case <-done:
			last = 1000
		default:
		}
	}
	<-done
	if n.Load() != 2*rounds || w.Load() != 2*rounds {
		t.Errorf("%d and %d at the end, want %d", n.Load(), w.Load(), 2*rounds)
	}
}

// TestRelease publishes a plain value through a release word of either width, and takes words back
// by exchange.
func TestRelease(t *testing.T) {
	const rounds = 100_000
	var narrow atomics.Release[uint32]
	var wide atomics.Release[uint64]
	var a, b int
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 1; i <= rounds; i++ {
			a = i
			narrow.Store(uint32(i))
			for wide.Load() != uint64(i) {
				runtime.Gosched()
			}
			if b != -i {
				t.Errorf("%d came with %d", i, b)
				return
			}
		}
	})
	for i := 1; i <= rounds; i++ {
		for narrow.Load() != uint32(i) {
			runtime.Gosched()
		}
		if a != i {
			t.Fatalf("%d came with %d", i, a)
		}
		b = -i
		if i%2 == 0 {
			wide.Store(uint64(i))
		} else if !wide.CompareAndSwap(uint64(i-1), uint64(i)) {
			t.Fatalf("is %d instead of %d", wide.Load(), i-1)
		}
	}
	wg.Wait()
	if n, w := narrow.Swap(0), wide.Swap(0); n != rounds || w != rounds {
		t.Errorf("%d and %d at the end", n, w)
	}
	narrow.Store(1<<32 - 1)
	wide.Store(1<<64 - 1)
	if narrow.Load() != 1<<32-1 || wide.Load() != 1<<64-1 {
		t.Error("the upper bits are lost")
	}
}

// BenchmarkStores shows the cost that words which only release save.
func BenchmarkStores(b *testing.B) {
	b.Run("atomic", func(b *testing.B) {
		var w atomic.Uint64
		for n := uint64(0); b.Loop(); n++ {
			w.Store(n)
		}
	})
	b.Run("release", func(b *testing.B) {
		var w atomics.Release[uint64]
		for n := uint64(0); b.Loop(); n++ {
			w.Store(n)
		}
	})
}
