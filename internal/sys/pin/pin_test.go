package pin_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/internal/sys/pin"
)

// counter is used plainly where pins exclude, and atomically where they do not, as each user of the
// package must do.
type counter struct {
	plain  uint64
	atomic atomic.Uint64
	_      [112]byte
}

func (c *counter) add() {
	if !pin.Exclusive {
		c.atomic.Add(1)
		return
	}
	// The gap between reading and writing makes a preemption in between, or a second goroutine on
	// this P, lose a count.
	before := c.plain
	for range 50 {
		if c.plain != before {
			return
		}
	}
	c.plain = before + 1
}

func (c *counter) value() uint64 { return c.plain + c.atomic.Load() }

// TestExclusion counts with many more goroutines than Ps while collections demand preemption all
// the time. A count is lost if two pinned goroutines share an index, or if one is preempted while
// pinned.
func TestExclusion(t *testing.T) {
	const each = 20_000
	goroutines := 16 * runtime.GOMAXPROCS(0)
	counters := make([]counter, 1024)

	stop := make(chan struct{})
	var collector sync.WaitGroup
	collector.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.GC()
			}
		}
	})
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			for range each {
				i := pin.Pin()
				counters[i].add()
				pin.Unpin()
			}
		})
	}
	all.Wait()
	close(stop)
	collector.Wait()

	var sum uint64
	for i := range counters {
		sum += counters[i].value()
	}
	if want := uint64(goroutines * each); sum != want {
		t.Errorf("counted %d, want %d: pins do not exclude", sum, want)
	}
}

// TestIndex holds the range of the index for several values of GOMAXPROCS.
func TestIndex(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, processors := range []int{1, 2, 7, 3} {
		runtime.GOMAXPROCS(processors)
		limit := processors
		if !pin.Exclusive {
			limit = 16
		}
		var all sync.WaitGroup
		for range 8 * processors {
			all.Go(func() {
				for range 1000 {
					i := pin.Pin()
					pin.Unpin()
					if i < 0 || i >= limit {
						t.Errorf("with %d processors Pin returned %d, want 0 to %d", processors, i, limit-1)
						return
					}
					runtime.Gosched()
				}
			})
		}
		all.Wait()
	}
}

// TestNests holds that the inner Unpin leaves the outer pin in force: the index stays, which it
// would not for long among so many goroutines that are ready to run.
func TestNests(t *testing.T) {
	if !pin.Exclusive {
		// Nothing is held here; the calls must merely pair up in any number.
		for range 3 {
			pin.Pin()
		}
		for range 3 {
			pin.Unpin()
		}
		return
	}
	var all sync.WaitGroup
	for range 8 * runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for range 2_000 {
				outer := pin.Pin()
				inner := pin.Pin()
				pin.Unpin()
				again := pin.Pin()
				pin.Unpin()
				pin.Unpin()
				if inner != outer || again != outer {
					t.Errorf("pinned to %d, then within to %d and %d", outer, inner, again)
					return
				}
			}
		})
	}
	all.Wait()
}

// TestSpreads holds that goroutines which are alive together do not all get one stripe.
func TestSpreads(t *testing.T) {
	if runtime.GOMAXPROCS(0) < 2 && pin.Exclusive {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	}
	var seen sync.Map
	var distinct atomic.Int64
	var all sync.WaitGroup
	stop := make(chan struct{})
	for range 64 {
		all.Go(func() {
			for {
				i := pin.Pin()
				pin.Unpin()
				if _, known := seen.LoadOrStore(i, true); !known && distinct.Add(1) == 2 {
					close(stop)
				}
				select {
				case <-stop:
					return
				default:
					runtime.Gosched()
				}
			}
		})
	}
	all.Wait()
}

func TestDoesNotAllocate(t *testing.T) {
	got := testing.AllocsPerRun(1000, func() {
		pin.Pin()
		pin.Unpin()
	})
	if got != 0 {
		t.Errorf("a pinned section allocates %v times, want 0", got)
	}
}

func BenchmarkPin(b *testing.B) {
	for b.Loop() {
		pin.Pin()
		pin.Unpin()
	}
}

func BenchmarkPinParallel(b *testing.B) {
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			pin.Pin()
			pin.Unpin()
		}
	})
}
