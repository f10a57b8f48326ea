package pin_test

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/internal/sys/pin"
)

// desk has the counts of the test. Its holder is pinned, or has claimed it.
type desk struct {
	_       [128]byte
	tally   pin.Tally
	claimed atomic.Bool
	_       [128]byte
}

// enter returns a desk for the caller alone, or nil if there is none.
func enter(desks []desk) *desk {
	i := pin.Pin()
	switch {
	case i >= len(desks):
	case pin.Exclusive, desks[i].claimed.CompareAndSwap(false, true):
		return &desks[i]
	}
	pin.Unpin()
	return nil
}

func (d *desk) leave() {
	if !pin.Exclusive {
		d.claimed.Store(false)
	}
	pin.Unpin()
}

func rendezvous(desks []desk) {
	if pin.Exclusive {
		pin.Rendezvous(len(desks), func(i int) *pin.Tally { return &desks[i].tally })
		return
	}
	for i := range desks {
		for !desks[i].claimed.CompareAndSwap(false, true) {
			runtime.Gosched()
		}
		desks[i].claimed.Store(false)
	}
}

// TestRendezvous counts in sections until they are told to stop. After the rendezvous no section
// counts any more, and every earlier count is there.
func TestRendezvous(t *testing.T) {
	t.Log("way:", pin.Status().Way)
	const rounds = 200
	desks := make([]desk, 64)
	total := func() (n uint64) {
		for i := range desks {
			n += desks[i].tally.Load()
		}
		return n
	}
	var counted atomic.Uint64
	for round := range rounds {
		var stopped atomic.Bool
		var begun atomic.Int32
		var all sync.WaitGroup
		for range runtime.GOMAXPROCS(0) + 1 {
			all.Go(func() {
				n := uint64(0)
				defer func() { counted.Add(n) }()
				cold := make([]byte, 4<<20)
				for first := true; ; first = false {
					d := enter(desks)
					if d == nil {
						runtime.Gosched()
						continue
					}
					// Stores to cold lines keep those that follow from being seen by others soon.
					for i := range uint64(20) {
						cold[(20*n+i)*7919*64%uint64(len(cold))] = byte(i)
					}
					d.tally.Begin()
					stop := stopped.Load()
					if stop {
						d.tally.Withdraw()
					} else {
						d.tally.Count()
						n++
					}
					d.leave()
					if stop {
						return
					}
					if first {
						begun.Add(1)
					}
				}
			})
		}
		for begun.Load() == 0 {
			runtime.Gosched()
		}
		stopped.Store(true)
		rendezvous(desks)
		before := total()
		all.Wait()
		if after := total(); after != before || after != counted.Load() {
			t.Fatalf("round %d: %d counted after the rendezvous, %d at the end, by %d sections", round, before, after, counted.Load())
		}
	}
}

// TestWays holds the way against the build, and what the environment asks for.
func TestWays(t *testing.T) {
	state := pin.Status()
	want := map[bool]string{true: "membarrier fenced model", false: "claimed"}[pin.Exclusive]
	if !strings.Contains(want, state.Way) || state.Why == "" {
		t.Errorf("%+v, want one of %s", state, want)
	}
	if state.Way == "membarrier" {
		again(t, "FREERUN_PIN=fenced")
	}
}

// again runs TestRendezvous in a process of its own, which must find that it needs fences.
func again(t *testing.T, environment ...string) string {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestRendezvous$", "-test.v")
	child.Env = append(os.Environ(), environment...)
	said, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(said), "way: fenced") {
		t.Errorf("%v: %v\n%s", environment, err, said)
	}
	return string(said)
}

func BenchmarkSection(b *testing.B) {
	var stopped atomic.Bool
	desks := make([]desk, 64)
	for b.Loop() {
		if d := enter(desks); d != nil {
			d.tally.Begin()
			if stopped.Load() {
				d.tally.Withdraw()
			} else {
				d.tally.Count()
			}
			d.leave()
		}
	}
}

func BenchmarkRendezvous(b *testing.B) {
	desks := make([]desk, 64)
	for b.Loop() {
		rendezvous(desks)
	}
}
