package buddy

import (
	"runtime"
	_ "sync/atomic" // see internal/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/atomics"
	"github.com/freerun-go/freerun/internal/pad"
	"github.com/freerun-go/freerun/internal/pin"
)

// lane is what belongs to one processor, so that processors do not meet at words where they need not: the chunks of which it took a block last, and
// what it handed out. Nothing depends on whose lane is used; where goroutines share one, it is only slower.
type lane struct {
	_      pad.Line
	last   [maxOrder + 1]atomics.Uint64 // by order: the chunk of that level
	handed [maxOrder + 1]count          // by order: blocks handed out less those that came back, perhaps below 0
	far    bool                         // it takes from the other end of chunks
	_      pad.Line
}

// count is a counter: of one processor, which adds to it while it is pinned, and of all others.
type count struct {
	own    atomics.RelaxedUint64
	others atomics.Uint64
}

// fewestLanes is more than most programs have Ps: GOMAXPROCS may be raised later.
const fewestLanes = 16

func newLanes() []lane {
	lanes := make([]lane, max(fewestLanes, runtime.GOMAXPROCS(0)))
	for i := range lanes {
		lanes[i].far = i%2 != 0
	}
	return lanes
}

// lane returns the lane of the processor that the caller is on.
func (s *Space) lane() *lane {
	p := pin.Pin()
	pin.Unpin()
	return &s.lanes[p%len(s.lanes)]
}

// count notes that so many blocks of that order were handed out.
func (s *Space) count(order uint, blocks int) {
	p := pin.Pin()
	if pin.Exclusive && p < len(s.lanes) {
		s.lanes[p].handed[order].own.Add(uint64(blocks))
	} else {
		s.lanes[p%len(s.lanes)].handed[order].others.Add(uint64(blocks))
	}
	pin.Unpin()
}

// HandedOut returns how many blocks of 1<<order bytes are handed out: exactly if nothing else is going on, and otherwise without some of what is. Any goroutine; wait-free;
// a few loads for each processor.
func (s *Space) HandedOut(order uint) int64 {
	if order > maxOrder {
		return 0
	}
	sum := uint64(0)
	for i := range s.lanes {
		c := &s.lanes[i].handed[order]
		sum += c.own.Load() + c.others.Load()
	}
	return max(0, int64(sum))
}

// FreeBytes returns how many bytes are free, in blocks of whatever size: exactly if nothing else is going on, and otherwise about. Any goroutine; wait-free.
func (s *Space) FreeBytes() uint64 {
	used := uint64(0)
	for order := s.least; order <= s.most; order++ {
		used += uint64(s.HandedOut(order)) << order
	}
	return s.size - min(s.size, used)
}
