package atomics_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/internal/atomics"
)

// TestRelaxedPointer publishes a plain value through a relaxed pointer that an atomic word confirms, as the deque does.
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
