package ddb

// Entries with a deadline are in a binary heap, the earliest first. So a key that is never read
// again is still removed when it is due, and no sampling is needed to find it.

// expiration is the place of an entry in the heap.
type expiration struct {
	deadline int64 // Unix milliseconds
	id       uint32
}

func (s *shard) expiresBefore(i, j int) bool { return s.expiring[i].deadline < s.expiring[j].deadline }

// deadline returns when a key expires, 0 if it does not.
func (s *shard) deadline(e *entry) int64 {
	if e.expiry < 0 {
		return 0
	}
	return s.expiring[e.expiry].deadline
}

func (s *shard) swapExpiring(i, j int) {
	h := s.expiring
	h[i], h[j] = h[j], h[i]
	s.records.at(h[i].id).expiry, s.records.at(h[j].id).expiry = int32(i), int32(j)
}

// moveExpiring restores the heap after the deadline at i has changed.
func (s *shard) moveExpiring(i int) {
	for i > 0 && s.expiresBefore(i, (i-1)/2) {
		s.swapExpiring(i, (i-1)/2)
		i = (i - 1) / 2
	}
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(s.expiring); child++ {
			if s.expiresBefore(child, least) {
				least = child
			}
		}
		if least == i {
			return
		}
		s.swapExpiring(i, least)
		i = least
	}
}

// due reports whether an entry's deadline has passed. Both times are rounded down to milliseconds,
// so the deadline has certainly passed when now is later. A key lives for its time, and less than a
// millisecond longer, as in Redis.
func (s *shard) due(e *entry) bool { return e.expiry >= 0 && s.expiring[e.expiry].deadline < s.now }

// setDeadline makes an entry expire at a time in Unix milliseconds, or never if it is 0.
func (s *shard) setDeadline(e *entry, deadline int64) {
	had := e.expiry >= 0
	switch {
	case had && deadline == 0:
		s.volatile -= int64(e.cost)
		at, last := int(e.expiry), len(s.expiring)-1
		s.swapExpiring(at, last)
		s.expiring = s.expiring[:last]
		e.expiry = -1
		if at < last {
			s.moveExpiring(at)
		}
	case had:
		s.expiring[e.expiry].deadline = deadline
		s.moveExpiring(int(e.expiry))
	case deadline != 0:
		s.volatile += int64(e.cost)
		e.expiry = int32(len(s.expiring))
		s.expiring = append(s.expiring, expiration{deadline, e.id})
		s.moveExpiring(int(e.expiry))
	}
}

func (s *shard) expire(e *entry) {
	s.stats.expired++
	s.remove(e)
}

// sweep removes at most budget keys that are due, and reports whether more are.
func (s *shard) sweep(budget int) (more bool) {
	for len(s.expiring) > 0 && s.due(s.records.at(s.expiring[0].id)) {
		if budget == 0 {
			return true
		}
		budget--
		s.expire(s.records.at(s.expiring[0].id))
	}
	return false
}
