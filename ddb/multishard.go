package ddb

// Messages to several shards. Whether there is memory is decided for a command on all of its shards before any of them does its part: so MSET is
// done everywhere or nowhere, and so is a transaction.

// mustSecure reports whether a task has to be admitted: it may need memory, and that is limited, or it needs blocks before it begins.
func (s *shard) mustSecure(t *task) bool {
	g := t.grows()
	return g != keeps && (s.budget.limited() || (g == pairs && s.records.arena != nil))
}

// secureTask decides about a task, with what must be there before it begins.
func (s *shard) secureTask(t *task, g *group) verdict {
	if !s.allocBlocks(t) {
		return refused
	}
	v := secured
	if s.budget.limited() {
		gross, net := s.demand(t)
		g.lacking = gross
		v = s.secure(gross, net, g.asked)
	}
	if v != secured {
		s.freeBlocks(t)
	}
	return v
}

// run executes a message with the states of its shards, in the order of its groups.
func (m *message) run(shards []*shard) {
	for _, g := range m.groups {
		if m.batch.halts[g.shard] {
			m.halt()
			return
		}
	}
	for i, s := range shards {
		s.begin()
		s.reservation += m.groups[i].grant
		m.groups[i].grant = 0
	}
	defer func() {
		for _, s := range shards {
			s.end()
		}
	}()
	if m.tx != nil {
		if !m.batch.allows(m) {
			m.halt()
			return
		}
		m.runTransaction(shards)
		return
	}
	for m.done < m.commands {
		if !m.batch.allows(m) || !m.runCommand(shards) {
			m.halt()
			return
		}
	}
}

// halt leaves the rest to be sent again, with what comes behind it on these shards.
func (m *message) halt() {
	m.halted = true
	for _, g := range m.groups {
		m.batch.halts[g.shard] = true
	}
}

// next returns the task of a group for the command whose turn it is, nil if it has none.
func (m *message) next(g *group) *task {
	if g.completed < len(g.tasks) && g.tasks[g.completed].commandIndex == m.done {
		return &g.tasks[g.completed]
	}
	return nil
}

// runCommand executes the next command, or returns false if shards lack memory for it that others may have.
func (m *message) runCommand(shards []*shard) bool {
	v := secured
	for i, s := range shards {
		if t := m.next(m.groups[i]); t != nil && s.mustSecure(t) {
			v = max(v, s.secureTask(t, m.groups[i])) // all of them: those that starve should be helped together
		}
	}
	for i, s := range shards {
		t, g := m.next(m.groups[i]), m.groups[i]
		if t == nil {
			continue
		}
		if v != secured {
			s.freeBlocks(t)
		}
		if v != starved {
			s.run(t, g, v)
		}
	}
	if v == starved {
		return false
	}
	m.done++
	return true
}

// runTransaction executes all or nothing.
func (m *message) runTransaction(shards []*shard) {
	v := secured
	for i, s := range shards {
		v = max(v, s.secureTransaction(m.groups[i]))
	}
	if v != secured {
		for i, s := range shards {
			s.freeTransactionBlocks(m.groups[i])
		}
	}
	if v == starved {
		m.halt()
		return
	}
	m.tx.refused = v == refused
	if !m.tx.begin(shards) || m.tx.refused {
		for i, s := range shards {
			s.freeTransactionBlocks(m.groups[i])
		}
		return
	}
	for i, s := range shards {
		for g := m.groups[i]; g.completed < len(g.tasks); {
			s.run(&g.tasks[g.completed], g, secured)
		}
	}
}

// secureTransaction is admit for all tasks of a transaction.
func (s *shard) secureTransaction(g *group) verdict {
	any := false
	for i := range g.tasks {
		t := &g.tasks[i]
		any = any || s.mustSecure(t)
		if !s.allocBlocks(t) {
			return refused
		}
	}
	if !any || !s.budget.limited() {
		return secured
	}
	gross, net := s.demandOfAll(g.tasks)
	g.lacking = gross
	return s.secure(gross, net, g.asked)
}

func (s *shard) freeTransactionBlocks(g *group) {
	for i := range g.tasks {
		s.freeBlocks(&g.tasks[i])
	}
}
