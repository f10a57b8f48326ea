package queues

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sys/pad"
	"github.com/freerun-go/freerun/programs"
)

// Narrow and Wide are the types of items: 8 bytes, and a cache line. Both begin with the item's
// number; a wide item ends with it too.
type (
	Narrow = uint64
	Wide   = [8]uint64
)

// Item is the constraint of items.
type Item interface{ Narrow | Wide }

// made returns the item with that number.
func made[T Item](number uint64) (v T) {
	words := (*Wide)(unsafe.Pointer(&v))
	words[0] = number
	if unsafe.Sizeof(v) == unsafe.Sizeof(Wide{}) {
		words[7] = number
	}
	return v
}

// number returns the number of an item, or 0 if it is torn.
func number[T Item](v *T) uint64 {
	words := (*Wide)(unsafe.Pointer(v))
	if unsafe.Sizeof(*v) == unsafe.Sizeof(Wide{}) && words[7] != words[0] {
		return 0
	}
	return words[0]
}

// Line is a queue as the driver sees it: the functions with which each producer and each consumer
// use it.
type Line[T Item] struct {
	// producer returns a producer's function to enqueue, and the function to call when it has
	// enqueued all its items.
	producer func() (enqueue func(T), done func())
	// consumer returns a consumer's function to dequeue. If patient is true, that function waits,
	// and false means that all items have arrived; otherwise false means that the queue is empty.
	consumer func() (dequeue func() (T, bool))
	patient  bool
	// end, if not nil, is called when all producers are done.
	end func()
}

// Measured makes a queue for the parameters of a program.
type Measured[T Item] func(v programs.Values) Line[T]

// run measures a queue with items of the size that the parameters ask for.
func run(n Measured[Narrow], w Measured[Wide]) func(programs.Config) (programs.Result, error) {
	return func(cfg programs.Config) (programs.Result, error) {
		switch bytes := cfg.Values.Get(payload); bytes {
		case 8:
			return drive(n(cfg.Values), cfg.Values)
		case 64:
			return drive(w(cfg.Values), cfg.Values)
		default:
			return programs.Result{}, fmt.Errorf("payload is %d, and must be 8 or 64", bytes)
		}
	}
}

// drive lets all items go through the queue and adds up their numbers. While items are still being
// enqueued, producers and consumers share nothing but the queue: a word of the driver that both
// sides write would set their pace.
func drive[T Item](l Line[T], v programs.Values) (programs.Result, error) {
	size, from, to := v.Get(programs.Size), v.Get(producers), v.Get(consumers)
	var sum atomic.Int64
	e := ending{last: l.end}
	e.producing.Store(int64(from))
	e.left.Store(int64(size))
	finish := programs.NewFinish(to)
	gate := make(chan struct{})
	var all sync.WaitGroup
	first := 1
	for i := range from {
		share := size / from
		if i < size%from {
			share++
		}
		begin := first
		first += share
		enqueue, done := l.producer()
		all.Go(func() {
			<-gate
			for n := range share {
				enqueue(made[T](uint64(begin + n)))
			}
			if done != nil {
				done()
			}
			e.produced()
		})
	}
	for range to {
		dequeue := l.consumer()
		all.Go(func() {
			<-gate
			sum.Add(consume(dequeue, l.patient, &e))
			finish.Reached()
		})
	}
	meter := programs.StartMeter()
	close(gate)
	end, err := finish.Wait()
	result := meter.StopAt(end, uint64(size))
	all.Wait()
	result.Checksum = strconv.FormatInt(sum.Load(), 10)
	return result, err
}

// ending tells consumers when all items have arrived.
type ending struct {
	last func() // called when all producers are done, unless it is nil

	_         pad.Line
	producing atomic.Int64 // producers that are not done
	_         pad.Line
	// Written once, so that a consumer that looks disturbs nobody.
	all atomic.Bool // all items are enqueued
	_   pad.Line
	// Written only after all has become true. Until then consumers count for themselves.
	left atomic.Int64 // items that have not arrived
	_    pad.Line
}

// produced says that a producer is done.
func (e *ending) produced() {
	if e.producing.Add(-1) == 0 {
		e.all.Store(true)
		if e.last != nil {
			e.last()
		}
	}
}

// arrived is called by a consumer that found the queue empty, with the number of items that it got
// and that are not noted. It returns whether they are noted now, and whether no more will come.
func (e *ending) arrived(got int64) (noted, over bool) {
	if !e.all.Load() {
		return false, false
	}
	return true, e.left.Add(-got) <= 0
}

// consume dequeues until all items have arrived, and returns the sum of their numbers.
func consume[T Item](dequeue func() (T, bool), patient bool, e *ending) (sum int64) {
	got := int64(0) // not noted yet
	wait := newPause()
	for {
		v, ok := dequeue()
		if ok {
			got++
			sum += int64(number(&v))
			wait.hit()
			continue
		}
		if patient {
			return sum
		}
		noted, over := e.arrived(got)
		if over {
			return sum
		}
		if noted {
			got = 0
		}
		wait.miss()
	}
}
