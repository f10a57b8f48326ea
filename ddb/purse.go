package ddb

// The shard's side of the budget. What the purse holds is reserved and not used; it belongs to the operation that runs. It is negative only
// within settle.

// settle accounts for entries that take delta bytes more. What was not secured before, because there was no limit or because a block came
// out larger than expected, is reserved now.
func (s *shard) settle(delta int64) {
	s.used += delta
	s.purse -= delta
	if s.purse >= 0 {
		return
	}
	if s.purse += s.account.withdraw(); s.purse >= 0 {
		return
	}
	lacking := -s.purse
	if !s.budget.limited() {
		lacking += s.budget.grain()
	}
	s.budget.force(lacking)
	s.purse += lacking
}

// draw has at least n bytes in the purse, if they can be had without taking them from anybody.
func (s *shard) draw(n int64) bool {
	if s.purse >= n {
		return true
	}
	if s.purse += s.account.withdraw(); s.purse >= n {
		return true
	}
	lacking := n - s.purse
	for _, wanted := range [...]int64{lacking + s.budget.grain(), lacking} {
		if s.budget.take(wanted) {
			s.purse += wanted
			return true
		}
	}
	return false
}

// surrender gives the whole purse back to the server.
func (s *shard) surrender() {
	if s.purse > 0 {
		s.budget.give(s.purse)
		s.purse = 0
	}
}

// publish ends an operation's use of the purse, and tells others how the shard stands.
func (s *shard) publish() {
	if s.purse > 0 {
		grain := s.budget.grain()
		switch {
		case s.budget.over():
			s.surrender()
		case s.purse > 2*grain:
			s.budget.give(s.purse - grain)
			s.purse = grain
		}
		if s.purse > 0 {
			s.account.deposit(s.purse)
			s.purse = 0
		}
	}
	publish(&s.account.used, uint64(s.used))
	publish(&s.account.evictable, uint64(s.evictable()))
	s.account.figures.publish(s)
}
