package ddb

import "container/heap"

// expiryHeap orders the entries that have a deadline, the earliest first. Every key with a deadline is in it, so a key
// that is never read again is still removed when it is due, and no sampling is needed to find it.
type expiryHeap []*entry

func (h expiryHeap) Len() int           { return len(h) }
func (h expiryHeap) Less(i, j int) bool { return h[i].deadline < h[j].deadline }
func (h expiryHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i]; h[i].expiry, h[j].expiry = i, j }

func (h *expiryHeap) Push(x any) {
	e := x.(*entry)
	e.expiry = len(*h)
	*h = append(*h, e)
}

func (h *expiryHeap) Pop() any {
	old := *h
	last := len(old) - 1
	e := old[last]
	old[last], e.expiry = nil, -1
	*h = old[:last]
	return e
}

// due reports whether an entry's deadline has passed.
func (s *shard) due(e *entry) bool { return e.deadline != 0 && e.deadline <= s.now }

// setDeadline makes an entry expire at a time in Unix milliseconds, or never for 0.
func (s *shard) setDeadline(e *entry, deadline int64) {
	had := e.deadline != 0
	e.deadline = deadline
	switch {
	case had && deadline == 0:
		heap.Remove(&s.expiring, e.expiry)
	case had:
		heap.Fix(&s.expiring, e.expiry)
	case deadline != 0:
		heap.Push(&s.expiring, e)
	}
}

func (s *shard) expire(e *entry) {
	s.stats.expired++
	s.remove(e)
}

// sweep removes at most budget keys that are due and reports whether more are.
func (s *shard) sweep(budget int) (more bool) {
	for len(s.expiring) > 0 && s.due(s.expiring[0]) {
		if budget == 0 {
			return true
		}
		budget--
		s.expire(s.expiring[0])
	}
	return false
}
