package ddb

// The shard's side of the budget. What the reservation holds is reserved and not used; it belongs to the operation that runs. It is negative only
// within settle.

// charge accounts for entries that take delta bytes more. What was not secured before, because there was no limit or because a block came
// out larger than expected, is reserved now.
func (s *shard) charge(delta int64) {
	s.used += delta
	s.reservation -= delta
	if s.reservation >= 0 {
		return
	}
	if s.reservation += s.account.withdraw(); s.reservation >= 0 {
		return
	}
	lacking := -s.reservation
	if !s.budget.limited() {
		lacking += s.budget.grain()
	}
	s.budget.force(lacking)
	s.reservation += lacking
}

// reserve has at least n bytes in the reservation, if they can be had without taking them from anybody.
func (s *shard) reserve(n int64) bool {
	if s.reservation >= n {
		return true
	}
	if s.reservation += s.account.withdraw(); s.reservation >= n {
		return true
	}
	lacking := n - s.reservation
	for _, wanted := range [...]int64{lacking + s.budget.grain(), lacking} {
		if s.budget.take(wanted) {
			s.reservation += wanted
			return true
		}
	}
	return false
}

// returnReservation gives the whole reservation back to the server.
func (s *shard) returnReservation() {
	if s.reservation > 0 {
		s.budget.give(s.reservation)
		s.reservation = 0
	}
}

// publish ends an operation's use of the reservation, and tells others how the shard stands.
func (s *shard) publish() {
	if s.reservation > 0 {
		grain := s.budget.grain()
		switch {
		case s.budget.over():
			s.returnReservation()
		case s.reservation > 2*grain:
			s.budget.give(s.reservation - grain)
			s.reservation = grain
		}
		if s.reservation > 0 {
			s.account.deposit(s.reservation)
			s.reservation = 0
		}
	}
	publish(&s.account.used, uint64(s.used))
	publish(&s.account.evictable, uint64(s.evictable()))
	s.account.figures.publish(s)
}
