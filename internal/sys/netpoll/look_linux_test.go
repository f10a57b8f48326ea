//go:build !freerun_portable && !go1.27

package netpoll

import (
	"runtime"
	"sync/atomic"
	"testing"
)

func usual(t *testing.T) *Poller {
	t.Helper()
	p, err := New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// TestFutileWhenNothingWaits polls, which fetches all events. Without sockets a look must then find
// nothing. Go may have an event of its own, now and then.
func TestFutileWhenNothingWaits(t *testing.T) {
	p := usual(t)
	if epoll() < 0 {
		t.Fatal("the descriptor of Go's poller was not found")
	}
	for range 1000 {
		if !p.Poll(patience) {
			t.Fatal("it did not poll")
		}
		if p.Futile() {
			return
		}
	}
	t.Error("1000 looks each after a poll have found something")
}

// TestFutileSeesSockets has one goroutine keep the only P, and poll only if a look has found
// something. Each byte that comes over a socket is found: by the look, or by a thread of Go that
// waited for it.
func TestFutileSeesSockets(t *testing.T) {
	p := usual(t)
	here, there := connected(t)
	var got atomic.Int64
	ended := make(chan struct{})
	defer func() { <-ended }()
	defer here.Close()
	go func() {
		defer close(ended)
		for b := make([]byte, 1); ; got.Add(1) {
			if _, err := there.Read(b); err != nil {
				return
			}
		}
	}()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const rounds = 300
	looks, polls := 0, 0
	for i := range int64(rounds) {
		if _, err := here.Write([]byte{1}); err != nil {
			t.Fatal(err)
		}
		for got.Load() == i {
			if looks++; p.Futile() {
				runtime.Gosched()
			} else {
				p.Poll(patience)
				polls++
			}
			// Without any look that finds something, Go finds each byte after 10 ms: after ten
			// thousand looks.
			if looks > 2000*rounds {
				t.Fatalf("%d looks, %d polls, and %d of %d bytes were read", looks, polls, got.Load(), rounds)
			}
		}
	}
}

// BenchmarkFutile measures a look that finds nothing, as BenchmarkPoll does a poll.
func BenchmarkFutile(b *testing.B) {
	p, err := New()
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	p.Poll(patience)
	b.ReportAllocs()
	for b.Loop() {
		p.Futile()
	}
}
