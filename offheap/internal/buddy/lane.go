package buddy

import (
	"runtime"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// lane holds what belongs to one processor, so that processors meet at shared words less often. A
// call may use any lane and is still right; where goroutines share one, it is slower.
type lane struct {
	_      pad.Line
	orders []laneOrder // from the smallest order to the largest
	far    bool        // the processor takes from the other end of chunks
	_      pad.Line
}

// laneOrder holds what a processor remembers of blocks of one order.
type laneOrder struct {
	recent recent
	run    atomics.RelaxedUint64 // offset of the next run, perhaps (run.go); 0 is none
	handed count                 // blocks handed out less blocks given back, perhaps below 0
}

// recent is a small stack of chunks that may have a free block, because one was taken or given back
// there. They are guesses, which the word of the chunk confirms. So goroutines on the same
// processor may write it at the same time; a lost or doubled entry is a worse guess. A full stack
// forgets its oldest entry.
type recent struct {
	top    atomics.RelaxedUint64
	chunks [recents]atomics.RelaxedUint64 // the number of a chunk plus 1; 0 is none
}

// recents is the number of chunks that a lane remembers for each order, a power of two.
const recents = 16

// peek returns the chunk on top; ok is false if there is none.
func (r *recent) peek() (i int, ok bool) {
	i = int(r.chunks[r.top.Load()%recents].Load())
	return i - 1, i > 0
}

// drop removes the chunk on top.
func (r *recent) drop() {
	top := r.top.Load()
	r.chunks[top%recents].Store(0)
	r.top.Store(top - 1)
}

// push puts a chunk on top, unless it is there.
func (r *recent) push(i int) {
	if top := r.top.Load(); int(r.chunks[top%recents].Load()) != i+1 {
		r.chunks[(top+1)%recents].Store(uint64(i) + 1)
		r.top.Store(top + 1)
	}
}

// count is a counter of blocks: own for the processor, which adds while it is pinned, and others
// for all other goroutines.
type count struct {
	own    atomics.RelaxedUint64
	others atomics.Uint64
}

// fewestLanes is the least number of lanes, a power of two.
const fewestLanes = 4

// newLanes returns at least a lane for each P: a power of two. GOMAXPROCS may be raised later; then
// Ps share lanes.
func newLanes(orders uint) []lane {
	n := fewestLanes
	for n < runtime.GOMAXPROCS(0) {
		n *= 2
	}
	lanes := make([]lane, n)
	for i := range lanes {
		lanes[i].far = i%2 != 0
		lanes[i].orders = make([]laneOrder, orders)
	}
	return lanes
}

// lane returns the lane of the caller's processor.
func (s *Space) lane() *lane {
	p := pin.Pin()
	pin.Unpin()
	return &s.lanes[p&(len(s.lanes)-1)]
}

// recent returns the lane's chunks for blocks of that order.
func (s *Space) recent(l *lane, order uint) *recent { return &l.orders[order-s.least].recent }

// count adds to the number of blocks of that order that are handed out, and returns the processor's
// laneOrder.
func (s *Space) count(order uint, blocks int) *laneOrder {
	p := pin.Pin()
	t := &s.lanes[p&(len(s.lanes)-1)].orders[order-s.least]
	if pin.Exclusive && p < len(s.lanes) {
		t.handed.own.Add(uint64(blocks))
	} else {
		t.handed.others.Add(uint64(blocks))
	}
	pin.Unpin()
	return t
}

// HandedOut returns the number of blocks of 1<<order bytes that are handed out. It is exact while
// no other call is in progress; otherwise it may miss some of their blocks. Wait-free; two loads
// for each processor.
func (s *Space) HandedOut(order uint) int64 {
	if order < s.least || order > s.most {
		return 0
	}
	sum := uint64(0)
	for i := range s.lanes {
		c := &s.lanes[i].orders[order-s.least].handed
		sum += c.own.Load() + c.others.Load()
	}
	return max(0, int64(sum))
}

// FreeBytes returns the number of free bytes, in blocks of any size. It is exact while no other
// call is in progress, and an estimate otherwise. Wait-free; a HandedOut for each order.
func (s *Space) FreeBytes() uint64 {
	used := uint64(0)
	for order := s.least; order <= s.most; order++ {
		used += uint64(s.HandedOut(order)) << order
	}
	return s.size - min(s.size, used)
}
