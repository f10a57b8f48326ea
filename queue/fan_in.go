package queue

import (
	"slices"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Source:     A. Filatov, Lecture 13: concurrent queues, MPSC from N SPSC, whose isEmpty looks at
//             all N, or at a counter that is wrong for a moment on either side of the item. Ours:
//             instead of a counter, a list of the producers that may have items, to which a
//             producer adds itself as in L. Quirk, Ownership of a queue for practical lock-free
//             scheduling, 2008. So N may grow, and only producers that may have items are looked
//             at.
// Sketch:     enqueue:  ring.TryEnqueue(v)
//                       if !listed && CAS(listed: false→true) { push the producer to ready }
//             dequeue:  move ready to the back of round; no producer there: empty
//                       the first of round has an item: take it, and after burst items put that
//                         producer last
//                       it has none: remove it from round; listed = false; look into its ring once
//                         more, and if there is an item, CAS(listed: false→true) and put it last
// Invariants: I1 A producer is listed while it is in ready or in round, while its Enqueue is
//                between the CAS and the push, and in a Dequeue between removing it and the store
//                of listed, or after the CAS.
//             I2 A producer that is not listed has no items, except beside an Enqueue of its own
//                between the two steps, or a Dequeue that is about to look once more.
//             I3 next belongs to the goroutine that listed the producer, and from ready on to the
//                consumer.
//             NOT invariant: that a listed producer has items.
// Progress:   wait-free but for the push and for registering, which are lock-free: a failed CAS
//             means that another call took effect. A producer that stalls between its two steps
//             delays no other; the item that it has just added comes out later, unless the producer
//             was listed anyway. Dequeue looks at each listed producer at most twice.
// Linearize:  Enqueue at the ring's own point if the producer is listed then, or if a Dequeue takes
//             the item before the push, else at the push (L1); Dequeue at the ring's own point;
//             empty where ready is read and round is empty (L2); full at the ring's
// Publish:    next is written before L1 and read after the swap of ready; items by the ring itself
// ABA/memory: ready is only pushed to and taken whole. A producer that has left is forgotten when
//             its last item has been taken.
// Cost:       enqueue: that of the ring and one load, and two CAS if the producer was not listed.
//             dequeue: that of the ring and one load; one swap, one store and another look for each
//             time that a producer runs out of items.
// Checked by: TestFanIn…, TestExploreFanIn…

// FanIn is a queue with a bound for each producer: any number of producers, each with a handle and
// a ring of its own, and one consumer. The items of one producer come out in the order in which it
// enqueued them. Between producers there is no order; the consumer serves those that have items in
// turns. Two producers share no cache line while both have items waiting.
//
// Any goroutine may call Register and Len; one goroutine at a time may call the consumer's
// methods, and one the methods of each handle. A side may pass to another goroutine
// through anything that synchronises. Calls of two goroutines at once corrupt the queue, and panic
// in a build with the tag freerun_debug.
//
// TryDequeue returns false only if at some instant of the call everything that had been enqueued
// had been taken. It finds that out in constant time, however many producers there are. No call
// waits, and only Register allocates. A FanIn is made by [NewFanIn] and not copied. The queue keeps
// no dequeued item alive.
type FanIn[T any] struct {
	capacity int
	_        pad.Line

	ready atomics.Pointer[FanInProducer[T]] // producers that were idle and have items, newest first
	_     pad.Line

	members atomics.Pointer[[]*FanInProducer[T]] // producers that are registered or have items left
	_       pad.Line

	consumer    side // the consumer's from here on
	first, last atomics.Plain[*FanInProducer[T]]
	taken       atomics.Plain[int] // from first, since it became the first
	_           pad.Line
}

// FanInProducer is one producer's handle of a [FanIn]. One goroutine at a time may call its
// methods.
type FanInProducer[T any] struct {
	_            pad.Line
	fan          *FanIn[T]
	ring         *SPSC[T]
	producer     side
	deregistered atomics.Bool
	listed       atomics.Bool
	_            pad.Line
	next         atomics.Plain[*FanInProducer[T]] // see I3
	_            pad.Line
}

// fanInBurst is how many items of one producer are taken before the next producer's turn, so that a
// ring is read while its lines are in the cache.
const fanInBurst = 8

// NewFanIn returns an empty queue without producers. Each producer will have room for at least
// capacity items, rounded up to a power of two. It panics if capacity is less than 1, or if so many
// items take more than a terabyte.
func NewFanIn[T any](capacity int) *FanIn[T] {
	f := &FanIn[T]{capacity: sizeOf[runSlot[T]]("NewFanIn", capacity)}
	f.members.Store(new([]*FanInProducer[T]))
	return f
}

// Register returns the handle of a new producer. Any goroutine, at any time. It allocates the
// producer's ring.
func (f *FanIn[T]) Register() *FanInProducer[T] {
	f.mustBeMade()
	p := &FanInProducer[T]{fan: f, ring: NewSPSC[T](f.capacity)}
	for {
		before := f.members.Load()
		after := append(slices.Clip(*before), p)
		if f.members.CompareAndSwap(before, &after) {
			return p
		}
	}
}

// mustBeMade panics for the zero FanIn. The consumer does not ask, because no producer can have put
// anything there.
func (f *FanIn[T]) mustBeMade() {
	if f == nil || f.capacity == 0 {
		panic("queue: a nil or zero FanIn; make it with NewFanIn")
	}
}

// forget takes a producer off the members, once neither it nor the consumer will use its ring
// again.
func (f *FanIn[T]) forget(p *FanInProducer[T]) {
	for {
		before := f.members.Load()
		i := slices.Index(*before, p)
		after := slices.Delete(slices.Clone(*before), i, i+1)
		if f.members.CompareAndSwap(before, &after) {
			return
		}
	}
}

// TryEnqueue adds v, unless this producer's ring is full, and reports whether it did. After
// Deregister it panics.
func (p *FanInProducer[T]) TryEnqueue(v T) bool {
	p.producer.enter("queue: TryEnqueue of a FanInProducer")
	p.mustBeRegistered("TryEnqueue")
	ok := p.ring.TryEnqueue(v)
	if ok && !p.listed.Load() {
		p.list()
	}
	p.producer.leave()
	return ok
}

// EnqueueN adds as many items from the front of vs as it finds room for in this producer's ring, in
// one step for the consumer, and returns how many: fewer than len(vs) only if there was room for no
// more at some instant of the call. After Deregister it panics.
func (p *FanInProducer[T]) EnqueueN(vs []T) int {
	p.producer.enter("queue: EnqueueN of a FanInProducer")
	p.mustBeRegistered("EnqueueN")
	n := p.ring.EnqueueN(vs)
	if n > 0 && !p.listed.Load() {
		p.list()
	}
	p.producer.leave()
	return n
}

// Deregister ends the producer. Its items are still delivered, and then its ring is released.
// Deregister must be called at most once, and no other method of the producer after it.
func (p *FanInProducer[T]) Deregister() {
	p.producer.enter("queue: Deregister of a FanInProducer")
	p.mustBeRegistered("Deregister")
	p.deregistered.Store(true)
	// The call that lists an idle producer owns it. If the producer is listed already, the consumer
	// will come to it and see that it has left.
	if p.listed.CompareAndSwap(false, true) {
		if p.ring.Len() == 0 {
			p.fan.forget(p)
		} else {
			p.push()
		}
	}
	p.producer.leave()
}

func (p *FanInProducer[T]) mustBeRegistered(call string) {
	if p.deregistered.Load() {
		p.producer.leave()
		panic("queue: " + call + " of a FanInProducer after Deregister")
	}
}

// list puts the producer on the list of those that have items, unless the consumer has just found
// out by itself.
func (p *FanInProducer[T]) list() {
	if p.listed.CompareAndSwap(false, true) {
		p.push()
	}
}

func (p *FanInProducer[T]) push() {
	for {
		newest := p.fan.ready.Load()
		p.next.Set(newest)
		if p.fan.ready.CompareAndSwap(newest, p) { // L1
			return
		}
	}
}

// TryDequeue removes and returns an item, the oldest of its producer; ok is false if there is none.
// Consumer only.
func (f *FanIn[T]) TryDequeue() (v T, ok bool) {
	f.consumer.enter("queue: TryDequeue of a FanIn")
	for !ok {
		p := f.turn()
		if p == nil {
			break
		}
		if v, ok = p.ring.TryDequeue(); ok {
			f.took(1)
		} else {
			f.retire()
			p.listed.Store(false)
			v, ok = p.ring.TryDequeue()
			f.retired(p, ok)
		}
	}
	f.consumer.leave()
	return v, ok
}

// DequeueN removes items, at most len(dst), puts them into dst and returns how many: fewer than
// len(dst) only if there was none left. It takes all items of one producer before it goes on to the
// next, at the cost of one atomic operation for each producer. Consumer only.
func (f *FanIn[T]) DequeueN(dst []T) (n int) {
	f.consumer.enter("queue: DequeueN of a FanIn")
	for n < len(dst) {
		p := f.turn()
		if p == nil {
			break
		}
		k := p.ring.DequeueN(dst[n:])
		if k > 0 {
			f.took(k)
		} else {
			f.retire()
			p.listed.Store(false)
			k = p.ring.DequeueN(dst[n:])
			f.retired(p, k > 0)
		}
		n += k
	}
	f.consumer.leave()
	return n
}

// Len returns how many items there are. Any goroutine. It looks at one producer after another: it
// is exact if no other call is under way. Beside calls under way it is an estimate: more or fewer
// by no more items than those calls add and remove.
func (f *FanIn[T]) Len() (n int) {
	f.mustBeMade()
	for _, p := range *f.members.Load() {
		n += p.ring.Len()
	}
	return n
}

// turn returns the producer whose turn it is, or nil if none may have items.
func (f *FanIn[T]) turn() *FanInProducer[T] {
	if f.ready.Load() != nil { // L2
		f.admit()
	}
	p := f.first.Get()
	if p != nil && f.taken.Get() >= fanInBurst {
		if f.taken.Set(0); p.next.Get() != nil {
			f.retire()
			f.append(p)
			p = f.first.Get()
		}
	}
	return p
}

// admit moves the producers of ready to the back of the round, in the order of arrival.
func (f *FanIn[T]) admit() {
	var oldest *FanInProducer[T]
	for p := f.ready.Swap(nil); p != nil; {
		before := p.next.Get()
		p.next.Set(oldest)
		oldest, p = p, before
	}
	for p := oldest; p != nil; {
		behind := p.next.Get()
		f.append(p)
		p = behind
	}
}

// took counts items that were taken from the first producer.
func (f *FanIn[T]) took(n int) { f.taken.Set(f.taken.Get() + n) }

func (f *FanIn[T]) append(p *FanInProducer[T]) {
	p.next.Set(nil)
	if f.first.Get() == nil {
		f.first.Set(p)
	} else {
		f.last.Get().next.Set(p)
	}
	f.last.Set(p)
}

// retire takes the first producer out of the round.
func (f *FanIn[T]) retire() {
	f.first.Set(f.first.Get().next.Take())
	if f.first.Get() == nil {
		f.last.Clear()
	}
	f.taken.Set(0)
}

// retired is called after the second look at a producer that was retired and is no longer listed.
// It puts the producer back into the round if that look found something, and forgets the producer
// if it has left for good.
func (f *FanIn[T]) retired(p *FanInProducer[T], found bool) {
	left := p.deregistered.Load() // and will enqueue nothing after the second look
	if !found && !left || !p.listed.CompareAndSwap(false, true) {
		return
	}
	if found {
		f.append(p)
	} else {
		f.forget(p)
	}
}
