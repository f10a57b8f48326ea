//go:build !explore

package backoff_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/internal/sync/backoff"
)

// TestWaitLetsOthersRun waits, on one processor, for a goroutine that has not begun.
func TestWaitLetsOthersRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var begun atomic.Bool
	go begun.Store(true)
	for b := (backoff.Backoff{}); !begun.Load(); {
		b.Wait()
	}
}

// TestSpent holds that a caller is told to park after some turns, and not before the first.
func TestSpent(t *testing.T) {
	var b backoff.Backoff
	if b.Spent() {
		t.Error("spent before the first turn")
	}
	for turns := 0; !b.Spent(); turns++ {
		if turns > 100 {
			t.Fatal("not spent after 100 turns")
		}
		b.Wait()
	}
	b.Wait()
	if !b.Spent() {
		t.Error("not spent any more")
	}
}

// TestRetryManyTimes goes past every limit.
func TestRetryManyTimes(t *testing.T) {
	var b backoff.Backoff
	for range 1000 {
		b.Retry()
	}
}

func BenchmarkRetry(b *testing.B) {
	for b.Loop() {
		var o backoff.Backoff
		o.Retry()
	}
}
