package ticks_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/freerun-go/freerun/internal/sys/ticks"
)

// TestNow sends readings to and fro between two goroutines on threads of their own. A reading that
// was sent is not later than one made after its arrival, but for the little that a machine reads
// ahead.
func TestNow(t *testing.T) {
	const rounds = 10_000
	ask, answer := make(chan uint64), make(chan uint64)
	go func() {
		runtime.LockOSThread()
		for range ask {
			answer <- ticks.Now()
		}
		close(answer)
	}()
	for range rounds {
		before := ticks.Now()
		ask <- before
		there := <-answer
		if after := ticks.Now(); there < before || after < there {
			t.Fatalf("read %d, then elsewhere %d, then %d", before, there, after)
		}
	}
	close(ask)
}

// TestPerSecond computes the ticks of a second from marks whose rate is known.
func TestPerSecond(t *testing.T) {
	from := ticks.Take()
	to := ticks.Mark{Ticks: from.Ticks + 6_000_000_000, Time: from.Time.Add(2 * time.Second)}
	if got := ticks.PerSecond(from, to); got != 3e9 {
		t.Fatalf("6e9 ticks in 2 s are %v a second", got)
	}
	if got := ticks.PerSecond(from, from); got != 1e9 {
		t.Fatalf("no time at all gives %v ticks a second, not those of nanoseconds", got)
	}
	for range 1000 {
		if next := ticks.Take(); next.Ticks < from.Ticks || next.Time.Before(from.Time) {
			t.Fatalf("%+v came after %+v", next, from)
		}
	}
}

func BenchmarkNow(b *testing.B) {
	for b.Loop() {
		ticks.Now()
	}
}
