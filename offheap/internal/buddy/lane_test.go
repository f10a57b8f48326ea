//go:build !explore

package buddy

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/internal/sys/pin"
)

// TestSharedLanes raises GOMAXPROCS when the lanes are made already. The processors without a lane
// of their own count into other processors' lanes, and no block is counted twice or not at all.
func TestSharedLanes(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(fewestLanes))
	const least = 5
	s := New(1<<20, least)
	if len(s.lanes) != fewestLanes {
		t.Fatalf("%d lanes for %d processors", len(s.lanes), fewestLanes)
	}
	if runtime.GOMAXPROCS(2 * fewestLanes); runtime.GOMAXPROCS(0) == 1 {
		t.Skip("this system has one processor at any time")
	}
	var found atomic.Bool
	var blocks atomic.Int64
	var all sync.WaitGroup
	for range 2 * fewestLanes {
		all.Go(func() {
			for !found.Load() { // all spin until one of them is on such a processor
				p := pin.Pin()
				pin.Unpin()
				if pin.Exclusive && p < fewestLanes {
					continue
				}
				for range 10 {
					if _, ok := s.Alloc(least); ok {
						blocks.Add(1)
					}
				}
				shared := uint64(0)
				for i := range s.lanes {
					shared += s.lanes[i].orders[0].handed.others.Load()
				}
				found.Store(shared != 0)
			}
		})
	}
	all.Wait()
	if got, want := s.HandedOut(least), blocks.Load(); got != want {
		t.Errorf("%d blocks are handed out, of which %d are counted", want, got)
	}
}
