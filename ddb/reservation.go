package ddb

// The shard's side of the budget. The reservation is memory that is reserved and not used. It
// belongs to the operation that runs, and is negative only within charge.

// charge takes delta bytes for entries out of the reservation. Bytes that were not reserved before
// are reserved now, whatever the limit is: there was no limit, or a block is larger than expected.
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

// reserve brings the reservation to at least n bytes if that takes nothing from other shards.
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

// returnReservation gives the whole reservation back to the budget.
func (s *shard) returnReservation() {
	if s.reservation > 0 {
		s.budget.give(s.reservation)
		s.reservation = 0
	}
}

// publish ends an operation's use of the reservation: it becomes credit. It also stores the shard's
// figures for other goroutines.
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
