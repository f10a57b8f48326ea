//go:build unix && !freerun_portable && !go1.27

package netpoll

import (
	"errors"
	"net"
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is longer than any test takes.
const patience = time.Minute

// each runs a test with each kind of source.
func each(t *testing.T, test func(t *testing.T, p *Poller)) {
	for name, open := range map[string]func(*source) error{WayPipe: (*source).openPipe, "usual": (*source).open} {
		t.Run(name, func(t *testing.T) {
			p, err := build(open)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			test(t, p)
		})
	}
}

// TestPollReturns polls again and again, with an idle P to poll instead, and without.
func TestPollReturns(t *testing.T) {
	for _, procs := range []int{1, 2, 4} {
		each(t, func(t *testing.T, p *Poller) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			for i := range 2000 {
				if !p.Poll(patience) {
					t.Fatalf("poll %d did not poll", i)
				}
			}
		})
	}
}

// TestPollFindsSockets has one goroutine keep the only P, and counts how often it polls until a
// byte has come over a socket: usually the second time, as the first may be before the byte is
// there.
func TestPollFindsSockets(t *testing.T) {
	each(t, func(t *testing.T, p *Poller) {
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
		polls := 0
		for i := range int64(rounds) {
			if _, err := here.Write([]byte{1}); err != nil {
				t.Fatal(err)
			}
			for got.Load() == i {
				p.Poll(patience)
				// Usually a byte takes one or two polls. The system may deliver it later, on
				// another core that is busy. Without polls Go finds it after 10 ms: after
				// thousands.
				if polls++; polls > 20*rounds {
					t.Fatalf("%d polls, and %d of %d bytes were read", polls, got.Load(), rounds)
				}
			}
		}
	})
}

func connected(t *testing.T) (here, there net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if here, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if there, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { here.Close(); there.Close() })
	return here, there
}

// TestPollGivesUp polls beside a goroutine that yields without end, so that the run queue is never
// empty; and again when it has ended.
func TestPollGivesUp(t *testing.T) {
	each(t, func(t *testing.T, p *Poller) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		var stop atomic.Bool
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for !stop.Load() {
				runtime.Gosched()
			}
		}()
		for range 20 { // one in a while is saved by Go's monitor
			p.Poll(time.Millisecond)
		}
		stop.Store(true)
		<-ended
		for range 100 {
			if !p.Poll(patience) {
				t.Fatal("it does not poll any more after it has given up")
			}
		}
	})
}

// TestPollClosed closes a poller while it polls, and polls once more.
func TestPollClosed(t *testing.T) {
	each(t, func(t *testing.T, p *Poller) {
		var begun atomic.Bool
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for p.Poll(patience) {
				begun.Store(true)
			}
		}()
		for !begun.Load() {
			runtime.Gosched()
		}
		p.Close()
		<-ended
		if p.Poll(patience) {
			t.Error("it polled though it is closed")
		}
		p.Close()
	})
}

// TestPollAllocatesNothing counts what a poll allocates.
func TestPollAllocatesNothing(t *testing.T) {
	each(t, func(t *testing.T, p *Poller) {
		if n := testing.AllocsPerRun(200, func() { p.Poll(patience) }); n != 0 {
			t.Errorf("%v allocations a poll", n)
		}
	})
}

// TestWay tells of success, and of a process that may open no descriptor.
func TestWay(t *testing.T) {
	if way, why := Way(); way == WayYield || why == "" {
		t.Errorf("the way is %s, since %s", way, why)
	}
	if _, err := build(func(*source) error { return syscall.EMFILE }); !errors.Is(err, syscall.EMFILE) {
		t.Errorf("the error is %v", err)
	}
	if way, why := Way(); way != WayYield || why != "no descriptor could be made: "+syscall.EMFILE.Error() {
		t.Errorf("the way is %s, since %s", way, why)
	}
	each(t, func(t *testing.T, p *Poller) {
		if way, _ := Way(); way != p.source.way() {
			t.Errorf("the way is %s, not %s", way, p.source.way())
		}
	})
}

func BenchmarkPoll(b *testing.B) {
	p, err := New()
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	b.ReportAllocs()
	for b.Loop() {
		p.Poll(patience)
	}
}
