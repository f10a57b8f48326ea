package conformance

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// A flaw is a defect planted in a container.
type flaw string

const sound flaw = ""

// Flaws of queues. Those that begin with "busy" show only while another goroutine is calling.
const (
	losesOnWrap flaw = "loses an item when the ring wraps"
	loses       flaw = "loses an item now and then"
	doubles     flaw = "doubles an item now and then"
	swaps       flaw = "swaps the two oldest items now and then"
	saysEmpty   flaw = "says empty now and then"
	saysFull    flaw = "says full now and then"
	keeps       flaw = "keeps what came out"
	tears       flaw = "tears large items now and then"
	overfills   flaw = "says that it took an item too many"
	small       flaw = "has less room than it says"
	takesZero   flaw = "takes zero as a capacity"
	unworded    flaw = "panics without saying what was wrong"
	invents     flaw = "returns a value with false"
	miscounts   flaw = "miscounts its items"
	shortBatch  flaw = "leaves an item of a batch out"
	longBatch   flaw = "says that it wrote more of a batch than it did"
	turnedBatch flaw = "puts a batch in the wrong way round"
	greedyDrain flaw = "drains one item more than it hands out"
	busyEmpty   flaw = "busy: says empty"
	busyFull    flaw = "busy: says full"
	busyTakes   flaw = "busy: two take the same item"
	busyPuts    flaw = "busy: two put into the same slot"
	busySwaps   flaw = "busy: swaps what two put in"
	busyKeeps   flaw = "busy: keeps what two took out"
	busyStuck   flaw = "busy: is stuck for good"
)

// ring is a bounded queue under a mutex, with a flaw.
type ring[T any] struct {
	mu         sync.Mutex
	flaw       flaw
	items      []T
	head, size int
	calls      int
	callers    atomic.Int32
	stuck      bool
	spare      []T
}

func newRing[T any](f flaw, capacity int) *ring[T] {
	switch {
	case capacity == 0 && f == takesZero:
		capacity = 1
	case capacity < 1 && f == unworded:
		panic("no")
	case capacity < 1:
		panic("ladder: the capacity of a ring is at least 1")
	}
	return &ring[T]{flaw: f, items: make([]T, capacity)}
}

// now reports whether it is time for the flaw to show.
func (r *ring[T]) now(f flaw) bool { return r.flaw == f && r.calls%17 == 16 }

// begin locks the ring and reports whether another call is under way.
func (r *ring[T]) begin() (busy bool) {
	busy = r.callers.Add(1) > 1
	if r.flaw != sound && r.flaw[0] == 'b' {
		runtime.Gosched()
	}
	r.mu.Lock()
	r.calls++
	return busy
}

func (r *ring[T]) end() {
	r.callers.Add(-1)
	r.mu.Unlock()
}

// step unlocks the ring for a moment, if the ring has this flaw.
func (r *ring[T]) step(f flaw) {
	if r.flaw == f {
		r.mu.Unlock()
		runtime.Gosched()
		r.mu.Lock()
	}
}

func (r *ring[T]) TryEnqueue(v T) bool {
	busy := r.begin()
	defer r.end()
	room := len(r.items)
	if r.flaw == small && room > 4 {
		room--
	}
	if r.flaw == busyStuck && busy {
		r.stuck = true
	}
	switch {
	case r.size >= room:
		return r.flaw == overfills
	case r.now(saysFull), r.flaw == busyFull && busy, r.stuck:
		return false
	case r.now(loses), r.flaw == losesOnWrap && (r.head+r.size)%room == 0 && r.calls > 3*room:
		return true
	}
	at := (r.head + r.size) % len(r.items)
	r.step(busyPuts)
	if r.flaw != busyPuts {
		at = (r.head + r.size) % len(r.items)
	}
	r.put(at, v)
	if r.size == room {
		return true // the other one of two has counted
	}
	r.size++
	if before := (at + room - 1) % room; r.flaw == busySwaps && busy && r.size > 1 && len(r.items) == room {
		r.items[at], r.items[before] = r.items[before], r.items[at]
	}
	if r.now(doubles) && r.size < room {
		r.put((r.head+r.size)%len(r.items), v)
		r.size++
	}
	return true
}

// put copies an item in.
func (r *ring[T]) put(at int, v T) {
	to, large := any(&r.items[at]).(*Wide)
	if !large || !r.now(tears) {
		r.items[at] = v
		return
	}
	copy(to[:8], any(&v).(*Wide)[:8])
}

func (r *ring[T]) TryDequeue() (v T, ok bool) {
	busy := r.begin()
	defer r.end()
	switch {
	case r.size == 0 && r.flaw == invents:
		return r.items[r.head], false
	case r.size == 0, r.now(saysEmpty), r.flaw == busyEmpty && busy, r.stuck:
		return v, false
	}
	if r.flaw == busyTakes {
		v = r.items[r.head]
		r.step(busyTakes)
		if r.size > 0 {
			r.take()
		}
		return v, true
	}
	if next := (r.head + 1) % len(r.items); r.now(swaps) && r.size > 1 {
		r.items[r.head], r.items[next] = r.items[next], r.items[r.head]
	}
	v = r.take()
	if r.flaw == busyKeeps && busy {
		r.spare = append(r.spare, v)
	}
	return v, true
}

// take removes the oldest item.
func (r *ring[T]) take() (v T) {
	v = r.items[r.head]
	if r.flaw != keeps && r.flaw != invents {
		var none T
		r.items[r.head] = none
	}
	r.head = (r.head + 1) % len(r.items)
	r.size--
	return v
}

func (r *ring[T]) Drain(yield func(v T) bool) {
	for {
		v, ok := r.TryDequeue()
		if !ok {
			return
		}
		if !yield(v) {
			if r.flaw == greedyDrain {
				r.TryDequeue()
			}
			return
		}
	}
}

func (r *ring[T]) EnqueueN(vs []T) int {
	n := 0
	if r.flaw == turnedBatch {
		vs = slices.Clone(vs)
		slices.Reverse(vs)
	}
	for n < len(vs) && r.TryEnqueue(vs[n]) {
		if n++; r.flaw == shortBatch && n%3 == 2 && n < len(vs) {
			n++
		}
	}
	return n
}

func (r *ring[T]) DequeueN(dst []T) int {
	for i := range dst {
		v, ok := r.TryDequeue()
		if !ok {
			if r.flaw == longBatch && i > 0 {
				i++
			}
			return i
		}
		dst[i] = v
	}
	return len(dst)
}

func (r *ring[T]) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.flaw == miscounts && r.size > 2 {
		return r.size - 1
	}
	return r.size
}

func (r *ring[T]) Cap() int { return len(r.items) }

// Flaws of stacks and deques.
const (
	pilePops   flaw = "pops the last but one now and then"
	pileSteals flaw = "steals the second now and then"
	pileLoses  flaw = "loses an item now and then, pile"
	pileTwice  flaw = "owner and thief get the last item"
	pileEmpty  flaw = "says empty now and then, pile"
	pileKeeps  flaw = "keeps what came out, pile"
	pileTears  flaw = "tears large items now and then, pile"
	pileRetry  flaw = "says now and then that it lost a race when it was alone"
	pileRetryN flaw = "says that it lost a race when it found nothing"
)

// pile is a stack, and a deque, under a mutex, with a flaw.
type pile[T any] struct {
	mu    sync.Mutex
	flaw  flaw
	items []T
	calls int
	kept  []T
}

func (p *pile[T]) now(f flaw) bool { return p.flaw == f && p.calls%7 == 6 }

func (p *pile[T]) Len() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.items)
}

func (p *pile[T]) Push(v T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.calls++; p.now(pileLoses) {
		return
	}
	if w, large := any(&v).(*Wide); large && p.now(pileTears) {
		w[15]++
	}
	p.items = append(p.items, v)
}

func (p *pile[T]) TryPop() (v T, ok bool) {
	return p.remove(func() int {
		if p.now(pilePops) {
			return len(p.items) - 2
		}
		return len(p.items) - 1
	})
}

// remove takes out the item at an index that is chosen while the pile is locked.
func (p *pile[T]) remove(choose func() int) (v T, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls++
	at := choose()
	if at < 0 || at >= len(p.items) || p.now(pileEmpty) {
		return v, false
	}
	v = p.items[at]
	if p.flaw == pileTwice && len(p.items) == 1 {
		p.mu.Unlock()
		runtime.Gosched()
		p.mu.Lock()
		p.items = p.items[:min(len(p.items), 0)]
		return v, true
	}
	if p.flaw == pileKeeps {
		p.kept = append(p.kept, v)
	}
	if at == 0 {
		var none T
		p.items[0] = none
		p.items = p.items[1:]
	} else {
		p.items = slices.Delete(p.items, at, at+1)
	}
	return v, true
}

func (p *pile[T]) steal() (v T, o Outcome) {
	v, ok := p.remove(func() int {
		if p.now(pileSteals) {
			return 1
		}
		return 0
	})
	switch {
	case ok:
		return v, Stolen
	case p.flaw == pileRetryN:
		return v, Retry
	}
	return v, Empty
}

func pileEnds[T any](f flaw) func(int) Ends[T] {
	return func(int) Ends[T] {
		p := &pile[T]{flaw: f}
		var alone atomic.Int64
		return Ends[T]{
			Push: func(v T) bool {
				p.Push(v)
				return true
			},
			Pop: p.TryPop,
			Thief: func() func() (T, Outcome) {
				return func() (v T, o Outcome) {
					if f == pileRetry && alone.Add(1)%5 == 4 {
						return v, Retry
					}
					return p.steal()
				}
			},
			Len: p.Len,
		}
	}
}

// Flaws of locks.
const (
	admitsTwo      flaw = "Lock lets a second holder in now and then"
	triesTwo       flaw = "TryLock lets a second holder in now and then"
	refusesFree    flaw = "TryLock refuses now and then though the lock is free"
	ignoresContext flaw = "LockContext waits though its context has ended"
	leavesTwice    flaw = "a waiter who leaves frees the lock"
	otherReason    flaw = "LockContext returns an error that is not its context's"
	losesWakeUp    flaw = "Unlock leaves the lock held now and then"
	silentUnlock   flaw = "Unlock of an unlocked lock says nothing"
)

// gate is a lock with a flaw: a channel that holds a value while the lock is held.
type gate struct {
	held  chan struct{}
	flaw  flaw
	calls atomic.Int64
}

func newGate(f flaw) *gate { return &gate{held: make(chan struct{}, 1), flaw: f} }

// now reports whether it is time for the flaw to show.
func (g *gate) now(f flaw) bool { return g.flaw == f && g.calls.Add(1)%5 == 4 }

func (g *gate) Lock() {
	if g.now(admitsTwo) {
		return
	}
	g.held <- struct{}{}
}

func (g *gate) TryLock() bool {
	if g.now(refusesFree) {
		return false
	}
	select {
	case g.held <- struct{}{}:
		return true
	default:
		return g.now(triesTwo)
	}
}

var errOther = errors.New("ladder: another reason")

func (g *gate) LockContext(ctx context.Context) error {
	if g.flaw == ignoresContext {
		g.Lock()
		return nil
	}
	select {
	case g.held <- struct{}{}:
		return nil
	case <-ctx.Done():
	}
	if g.flaw == leavesTwice {
		select {
		case <-g.held:
		default:
		}
	}
	if g.now(otherReason) {
		return errOther
	}
	return context.Cause(ctx)
}

func (g *gate) Unlock() {
	if g.now(losesWakeUp) {
		return
	}
	select {
	case <-g.held:
	default:
		if g.flaw == sound {
			panic("ladder: unlock of an unlocked gate")
		}
	}
}
