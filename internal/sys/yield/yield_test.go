package yield_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/internal/sys/yield"
)

// TestLocalLetsOthersRun takes turns with a goroutine of the same P.
func TestLocalLetsOthersRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var turns atomic.Int64
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for turns.Add(1) < 100 {
			yield.Local()
		}
	}()
	calls := 0
	for turns.Load() < 100 {
		yield.Local()
		if calls++; calls > 1_000_000 {
			t.Fatalf("after %d calls the other goroutine had %d turns", calls, turns.Load())
		}
	}
	<-ended
}

func BenchmarkLocal(b *testing.B) {
	for b.Loop() {
		yield.Local()
	}
}

func BenchmarkGosched(b *testing.B) {
	for b.Loop() {
		runtime.Gosched()
	}
}
