package queue

import "github.com/freerun-go/freerun/internal/sync/backoff"

// A batch claims several slots of a turnstile by one compare-and-swap. EnqueueN claims only slots
// that the segment has, and DequeueN only slots that enqueuers have claimed. So a slot is refused
// only if its enqueuer stalls, and there is less contention than with a claim for each item.

// atOnce is how many slots a batch claims at most: calls that take slots behind it wait for its
// last one.
const atOnce = 64

// EnqueueN adds all of vs, in their order, and returns len(vs). It is cheaper than as many calls of
// [SegmentedMPMC.Enqueue], and promises no more: items of other calls may come to lie between those
// of vs, and a consumer may take the first before the last is there. vs is the caller's again
// afterwards. Concurrency, waiting and progress as for Enqueue.
func (q *SegmentedMPMC[T]) EnqueueN(vs []T) int {
	var b backoff.Backoff
	for left := vs; len(left) > 0; {
		s := q.tail.Load()
		if s == nil {
			s = q.begin()
		}
		e := s.enq.load()
		i, slots := e.index(), uint(len(s.slots))
		if i >= slots {
			if q.extend(s, &left[0]) {
				left = left[1:]
			}
			continue
		}
		n := min(uint(len(left)), slots-i, atOnce)
		if !s.enq.claimFrom(e, n) { // L1
			b.Retry()
			continue
		}
		for end := i + n; i < end; i++ {
			if slot := &s.slots[i]; slot.put(&left[0]) {
				left = left[1:]
			} else {
				slot.done() // and the next slot gets the item: they stay in order
			}
		}
	}
	return len(vs)
}

// DequeueN removes the oldest items, as many as there are but at most len(dst), writes them to the
// front of dst, and returns how many. Fewer than len(dst) means that the queue was empty at some
// instant of the call. It is cheaper than as many calls of [SegmentedMPMC.TryDequeue], and promises
// no more: other calls may take items that lie between. Concurrency, waiting and progress as for
// TryDequeue.
func (q *SegmentedMPMC[T]) DequeueN(dst []T) int {
	var b backoff.Backoff
	got := 0
	for got < len(dst) {
		s := q.head.Load()
		if s == nil {
			return got
		}
		d := s.deq.load()
		i, slots := d.index(), uint(len(s.slots))
		if i >= slots {
			if q.advance(s) {
				return got
			}
			continue
		}
		e := s.enq.load() // L3
		if e.base() != d.base() {
			continue // s lives another life by now
		}
		if e.limit() <= i {
			if s.deq.stillOpen(d) {
				return got
			}
			continue
		}
		n := min(uint(len(dst)-got), min(e.limit(), slots)-i, atOnce)
		if !s.deq.claimFrom(d, n) { // L2
			b.Retry()
			continue
		}
		for end := i + n; i < end; i++ {
			if slot := &s.slots[i]; slot.take() || slot.await() {
				dst[got] = *slot.item()
				slot.done()
				got++
			}
		}
	}
	return got
}
