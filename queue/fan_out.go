package queue

import (
	"slices"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Source:     A. Filatov, Lecture 13: concurrent queues, SPMC from N SPSC, whose naive work
//             stealing takes a lock for each ring. Ours: the rings hold numbers of nodes, so that a
//             thief may copy numbers that it has not won yet without touching an item; see
//             stealRing.
// Sketch:     enqueue:  take a free node, or one that a consumer has returned; none: full
//                       node = v; put it into dealt of the next lane
//             dequeue:  take a node from the consumer's ring stolen, else from its ring dealt
//                       else steal half of what another lane has: take the first of these nodes,
//                         the others go into the consumer's ring stolen
//                       v = node; return the node
//                       nothing anywhere: look at all rings twice; unchanged: empty
// Invariants: I1 Each node is free (the producer's), in one ring, or held by the consumer that took
//                it until it returns the node.
//             I2 A lane has one owner, or none and then is only stolen from. An item that is dealt
//             to it or left in it stays there until a consumer takes it.
//             I3 Lanes are only added.
//             NOT invariant: any order of the items.
// Progress:   enqueue is wait-free: for each batch it looks at each lane at most twice (collect,
//             deal), and once for each call of EnqueueN (consumers). dequeue is lock-free, as
//             stealRing is: if it can neither take an item nor report empty, another call took,
//             stole, dealt or registered meanwhile. A consumer that stalls delays no other; it
//             keeps at most the items that it has taken.
// Linearize:  Enqueue at L1 of stealRing, Dequeue at its L2 or L3; from L3 on, the other items that
//             a thief takes count as being in its ring; empty between the two looks, while all
//             rings, and the list of lanes, stayed as they were; full at the look at the first lane
//             (L5): the producer finds the nodes that were returned by then, because only the
//             producer takes them
// Publish:    a node's item is written before the node is put into a ring, and read after the node
//             is taken from one. It is cleared before the node is returned, and written again after
//             the producer has got the node back. A lane is complete before the list with it is
//             stored.
// ABA/memory: see stealRing. A node is cleared when its item is taken. There are as many lanes as
//             there ever were consumers at a time, and each has 32 bytes for each node.
// Cost:       enqueue: one store, and now and then a load for each lane, EnqueueN in each call;
//             dequeue: one CAS and one store, and a steal when the consumer's rings are empty; a
//             consumer of an empty queue looks at all rings three times
// Checked by: TestFanOut…, TestExploreFanOut…

// FanOut is a queue with a bound for one producer and any number of consumers, each of which has a
// handle. The producer deals items to the consumers in turns, so that they do not contend while
// each has something to do. A consumer that has nothing takes half of what another one has. Items
// come out in no order.
//
// Any goroutine may call Register and Len; one goroutine at a time may call the producer's methods,
// and one the methods of each handle. Another goroutine may take over the producer's side, or a
// handle, if something synchronises the two. Calls of two goroutines at once corrupt the queue, and
// panic in a build with the tag freerun_debug.
//
// TryDequeue returns false only if the queue was empty at some instant of the call, and TryEnqueue
// only if no node was free: each had an item in it, or was in the hands of a call under way.
// Enqueueing is wait-free and dequeueing lock-free; only Register allocates. While no consumer is
// registered, items are kept for the next one. A FanOut is made by [NewFanOut] and not copied; the
// zero value panics. The queue keeps no dequeued item alive.
type FanOut[T any] struct {
	_     pad.Line
	nodes []atomics.Plain[T]
	start uint32 // of all positions
	lanes fanOutLanes

	_        pad.Line // the producer's from here on
	producer side
	next     atomics.Plain[int]      // the lane whose turn it is
	free     atomics.Plain[[]uint32] // nodes that the producer may fill
	_        pad.Line
}

// fanOutLane is the part of the queue that belongs to one consumer, or to none.
type fanOutLane struct {
	thief    uint16 // the lane's place in the list, counted from 1: in a mark 0 means no thief
	owned    atomics.Bool
	dealt    stealRing // filled by the producer
	stolen   stealRing // filled by the owner's steals
	returned *SPSC[uint32]
}

// FanOutConsumer is one consumer's handle of a [FanOut], made by [FanOut.Register]. One goroutine
// at a time may call its methods.
type FanOutConsumer[T any] struct {
	fan        *FanOut[T]
	lane       *fanOutLane
	consumer   side
	registered atomics.Plain[bool] // from Register to Deregister
}

const maxFanOutLanes = 1<<16 - 1

// NewFanOut returns an empty queue without consumers, with room for at least capacity items,
// rounded up to a power of two. It panics if capacity is less than 1 or more than 2^31, or if so
// many items take more than a terabyte.
func NewFanOut[T any](capacity int) *FanOut[T] { return newFanOut[T](capacity, 0) }

// newFanOut returns a queue whose positions all begin at start.
func newFanOut[T any](capacity int, start uint32) *FanOut[T] {
	if uint64(max(capacity, 0)) > 1<<31 { // before any memory is allocated for them
		panic("queue: NewFanOut cannot make room for more than 2147483648 items")
	}
	nodes := make([]atomics.Plain[T], sizeOf[atomics.Plain[T]]("NewFanOut", capacity))
	f := &FanOut[T]{nodes: nodes, start: start}
	free := make([]uint32, len(nodes))
	for i := range free {
		free[i] = uint32(i)
	}
	f.free.Set(free)
	first := f.newLane(1) // without owner, for items that come before a consumer
	f.lanes.list.Store(&[]*fanOutLane{first})
	return f
}

func (f *FanOut[T]) newLane(thief uint16) *fanOutLane {
	l := &fanOutLane{thief: thief, returned: NewSPSC[uint32](len(f.nodes))}
	l.dealt.init(len(f.nodes), f.start)
	l.stolen.init(len(f.nodes), f.start)
	return l
}

// Register returns the handle of a new consumer. It takes over a lane without an owner, with the
// items in it, if there is one: that of a consumer that has left, or the one that the queue began
// with. Any goroutine, at any time. It panics if 65535 consumers are registered already.
func (f *FanOut[T]) Register() *FanOutConsumer[T] {
	f.mustBeMade()
	for {
		before := f.lanes.list.Load()
		for _, l := range *before {
			if !l.owned.Load() && l.owned.CompareAndSwap(false, true) {
				return f.consumerOf(l)
			}
		}
		if len(*before) == maxFanOutLanes {
			panic("queue: Register of a FanOut that has 65535 consumers")
		}
		l := f.newLane(uint16(len(*before) + 1))
		l.owned.Store(true)
		after := append(slices.Clip(*before), l)
		if f.lanes.list.CompareAndSwap(before, &after) {
			return f.consumerOf(l)
		}
	}
}

func (f *FanOut[T]) consumerOf(l *fanOutLane) *FanOutConsumer[T] {
	c := &FanOutConsumer[T]{fan: f, lane: l}
	c.registered.Set(true)
	return c
}

// mustBeMade panics for the zero FanOut, which never has a free node; so the producer asks only
// when it finds none.
func (f *FanOut[T]) mustBeMade() {
	if f == nil || len(f.nodes) == 0 {
		panic("queue: a nil or zero FanOut; make it with NewFanOut")
	}
}

// TryEnqueue adds v unless the queue is full, and reports whether it did. Producer only.
func (f *FanOut[T]) TryEnqueue(v T) bool {
	f.producer.enter("queue: TryEnqueue of a FanOut")
	free := f.free.Get()
	if len(free) == 0 {
		free = f.collect()
	}
	if len(free) == 0 {
		f.producer.leave()
		return false
	}
	last := len(free) - 1
	f.nodes[free[last]].Set(v)
	f.deal().dealt.put(free[last:])
	f.free.Set(free[:last])
	f.producer.leave()
	return true
}

// EnqueueN adds as many items from the front of vs as there is room for, and returns how many. It
// deals them out evenly, in one batch for each consumer, or in more if the room was returned in
// pieces. Producer only.
func (f *FanOut[T]) EnqueueN(vs []T) (n int) {
	f.producer.enter("queue: EnqueueN of a FanOut")
	consumers := 0 // that have no share yet; counted once
	for n < len(vs) {
		free := f.free.Get()
		if len(free) == 0 {
			free = f.collect()
		}
		if len(free) == 0 {
			break
		}
		if consumers == 0 {
			consumers = f.consumers()
		}
		share := (len(vs) - n + consumers - 1) / consumers
		if share > len(free) {
			share = len(free)
		} else {
			consumers--
		}
		last := len(free) - share
		for i, number := range free[last:] {
			f.nodes[number].Set(vs[n+i])
		}
		f.deal().dealt.put(free[last:])
		f.free.Set(free[:last])
		n += share
	}
	f.producer.leave()
	return n
}

// consumers returns how many lanes have an owner, at least 1: without owners, all items go into the
// first lane.
func (f *FanOut[T]) consumers() (n int) {
	for _, l := range *f.lanes.list.Load() {
		if l.owned.Load() {
			n++
		}
	}
	return max(n, 1)
}

// deal returns the lane whose turn it is: the next lane with an owner, or the first lane if none
// has one.
func (f *FanOut[T]) deal() *fanOutLane {
	lanes := *f.lanes.list.Load()
	for range lanes {
		l := lanes[f.next.Get()%len(lanes)]
		f.next.Set((f.next.Get() + 1) % len(lanes))
		if l.owned.Load() {
			return l
		}
	}
	return lanes[0]
}

// collect returns the nodes that consumers have returned.
func (f *FanOut[T]) collect() []uint32 {
	f.mustBeMade()
	free := f.free.Get()
	free = free[:cap(free)]
	n := 0
	for _, l := range *f.lanes.list.Load() { // L5
		n += l.returned.DequeueN(free[n:])
	}
	f.free.Set(free[:n])
	return free[:n]
}

// Len returns how many items there are. Any goroutine. It looks at one consumer after another: it
// is exact if no other call is under way. Beside calls under way it is any number from 0 to
// the queue's capacity, because a thief may move items from where Len has not looked to where it
// has.
func (f *FanOut[T]) Len() (n int) {
	f.mustBeMade()
	for _, l := range *f.lanes.list.Load() {
		n += l.dealt.len() + l.stolen.len()
	}
	return min(n, len(f.nodes))
}

// empty reports true if all rings were empty at one instant. It reports false also if something has
// changed between its two looks.
func (f *FanOut[T]) empty() bool {
	lanes := f.lanes.list.Load()
	first, empty := f.look(*lanes)
	if !empty {
		return false
	}
	// A ring that is empty twice at the same position was empty in between, and so all were when
	// the first look was over.
	second, empty := f.look(*lanes)
	return empty && first == second && f.lanes.list.Load() == lanes
}

// look reports whether it saw each ring empty, and the sum of the positions at which they were.
// Positions only grow.
func (f *FanOut[T]) look(lanes []*fanOutLane) (positions uint64, empty bool) {
	for _, l := range lanes {
		for _, s := range [...]*stealRing{&l.dealt, &l.stolen} {
			h, n := s.front(&f.lanes)
			if n > 0 {
				return 0, false
			}
			positions += uint64(h.at())
		}
	}
	return positions, true
}

// TryDequeue removes and returns an item; ok is false if the queue is empty. After Deregister it
// panics.
func (c *FanOutConsumer[T]) TryDequeue() (v T, ok bool) {
	c.consumer.enter("queue: TryDequeue of a FanOutConsumer")
	c.mustBeRegistered("TryDequeue")
	var number [1]uint32
	if c.find(number[:]) > 0 {
		v, ok = c.fan.nodes[number[0]].Take(), true
		c.lane.returned.TryEnqueue(number[0])
	}
	c.consumer.leave()
	return v, ok
}

// DequeueN removes items, at most len(dst), puts them into dst and returns how many: fewer than
// len(dst) only if the queue was empty when it had taken those. Up to 64 items from one ring cost
// one compare-and-swap. After Deregister it panics.
func (c *FanOutConsumer[T]) DequeueN(dst []T) (n int) {
	c.consumer.enter("queue: DequeueN of a FanOutConsumer")
	c.mustBeRegistered("DequeueN")
	var numbers [64]uint32
	for n < len(dst) {
		k := c.find(numbers[:min(len(numbers), len(dst)-n)])
		if k == 0 {
			break
		}
		for i, number := range numbers[:k] {
			dst[n+i] = c.fan.nodes[number].Take()
		}
		c.lane.returned.EnqueueN(numbers[:k])
		n += k
	}
	c.consumer.leave()
	return n
}

// Deregister ends the consumer. The items that were dealt to it remain for the other consumers, and
// for the next consumer that registers. Deregister must be called at most once, and no other method
// of the consumer after it.
func (c *FanOutConsumer[T]) Deregister() {
	c.consumer.enter("queue: Deregister of a FanOutConsumer")
	c.mustBeRegistered("Deregister")
	c.registered.Set(false)
	c.lane.owned.Store(false)
	c.consumer.leave()
}

func (c *FanOutConsumer[T]) mustBeRegistered(call string) {
	if !c.registered.Get() {
		c.consumer.leave()
		if c.fan == nil {
			panic("queue: " + call + " of a zero FanOutConsumer; register consumers with FanOut.Register")
		}
		panic("queue: " + call + " of a FanOutConsumer after Deregister")
	}
}

// find takes nodes from any ring, at most len(dst), and returns how many; 0 means that the queue
// was empty.
func (c *FanOutConsumer[T]) find(dst []uint32) int {
	for {
		if n := c.lane.stolen.take(dst, &c.fan.lanes); n > 0 {
			return n
		}
		if n := c.lane.dealt.take(dst, &c.fan.lanes); n > 0 {
			return n
		}
		if n := c.steal(dst); n > 0 {
			return n
		}
		if c.fan.empty() {
			return 0
		}
	}
}

// steal takes half of the nodes of the first ring that has any, at most maxSteal, from the lane
// after the consumer's own on. One node goes into dst, the others into the consumer's ring stolen,
// which is empty. It returns how many are in dst.
func (c *FanOutConsumer[T]) steal(dst []uint32) int {
	lanes := *c.fan.lanes.list.Load()
	own := int(c.lane.thief) - 1
	for i := own + 1; i < own+len(lanes); i++ {
		l := lanes[i%len(lanes)]
		for _, s := range [...]*stealRing{&l.dealt, &l.stolen} {
			if n := s.stealFor(dst, c.lane.thief, &c.fan.lanes); n > 0 {
				return n
			}
		}
	}
	return 0
}
