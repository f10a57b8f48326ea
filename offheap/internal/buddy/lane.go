package buddy

import (
	"runtime"
	_ "sync/atomic" // see internal/sync/atomics: what inlines its operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// lane is what belongs to one processor, so that processors do not meet at words where they need not. Nothing depends
// on whose lane is used; where goroutines share one, it is only slower.
type lane struct {
	_      pad.Line
	orders []laneOrder // from the smallest order to the largest
	far    bool        // it takes from the other end of chunks
	_      pad.Line
}

// laneOrder is what a processor keeps of blocks of one order.
type laneOrder struct {
	recent recent
	run    atomics.RelaxedUint64 // where the next one of such blocks may be had (run.go); 0 for nowhere
	handed count                 // blocks handed out less those that came back, perhaps below 0
}

// recent is a small stack of chunks in which there may be a free block, as one was taken or given back there: guesses,
// which the word of the chunk confirms. So goroutines that were on the same processor may write it at the same time; what
// is lost or comes twice is a worse guess. When it is full it forgets what is oldest.
type recent struct {
	top    atomics.RelaxedUint64
	chunks [recents]atomics.RelaxedUint64 // and 1; 0 is none
}

// recents is how many chunks a lane remembers for each order, a power of two.
const recents = 16

// peek returns the chunk on top; ok is false if there is none.
func (r *recent) peek() (i int, ok bool) {
	i = int(r.chunks[r.top.Load()%recents].Load())
	return i - 1, i > 0
}

// drop takes it off.
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

// count is a counter: of one processor, which adds to it while it is pinned, and of all others.
type count struct {
	own    atomics.RelaxedUint64
	others atomics.Uint64
}

// fewestLanes is how many lanes there are at least, a power of two.
const fewestLanes = 4

// newLanes returns a lane for each P, or more: a power of two. GOMAXPROCS may be raised later; then Ps share lanes.
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

// lane returns the lane of the processor that the caller is on.
func (s *Space) lane() *lane {
	p := pin.Pin()
	pin.Unpin()
	return &s.lanes[p&(len(s.lanes)-1)]
}

// recent returns what the lane saw of blocks of that order.
func (s *Space) recent(l *lane, order uint) *recent { return &l.orders[order-s.least].recent }

// count notes that so many blocks of that order were handed out, and returns what the processor keeps of them.
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

// HandedOut returns how many blocks of 1<<order bytes are handed out: exactly if nothing else is going on, and
// otherwise without some of what is. Wait-free; two loads for each processor.
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

// FreeBytes returns how many bytes are free, in blocks of whatever size: exactly if nothing else is going on, and
// otherwise about. Wait-free; HandedOut for each order.
func (s *Space) FreeBytes() uint64 {
	used := uint64(0)
	for order := s.least; order <= s.most; order++ {
		used += uint64(s.HandedOut(order)) << order
	}
	return s.size - min(s.size, used)
}
