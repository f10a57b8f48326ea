package ddb

// Messages to several shards. For each command, all of its shards reserve their memory before any
// of them does its part: so MSET takes effect everywhere or nowhere, and so does a transaction.

// mustSecure reports whether a task needs something before it begins: memory, under a limit, or
// blocks off the heap.
func (s *shard) mustSecure(t *task) bool {
	g := t.grows()
	return g != keeps && (s.budget.limited() || (g == pairs && s.records.arena != nil))
}

// secureTask reserves the memory of a task, and allocates its blocks.
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

// run executes a message on the states of its shards, which are in the order of its groups.
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

// halt leaves the rest of the message, and later messages of the batch to these shards, to be sent
// again.
func (m *message) halt() {
	m.halted = true
	for _, g := range m.groups {
		m.batch.halts[g.shard] = true
	}
}

// next returns the task of a group for the command at hand, nil if the group has none.
func (m *message) next(g *group) *task {
	if g.completed < len(g.tasks) && g.tasks[g.completed].commandIndex == m.done {
		return &g.tasks[g.completed]
	}
	return nil
}

// runCommand executes the next command. It returns false if a shard lacks memory that other shards
// may have.
func (m *message) runCommand(shards []*shard) bool {
	v := secured
	for i, s := range shards {
		if t := m.next(m.groups[i]); t != nil && s.mustSecure(t) {
			// All shards, so that those that starve get help together.
			v = max(v, s.secureTask(t, m.groups[i]))
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

// runTransaction executes all tasks of a transaction, or none.
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

// secureTransaction is secureTask for all tasks of a transaction.
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
