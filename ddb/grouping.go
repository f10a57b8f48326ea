package ddb

// group returns the group that takes the connection's next task for a shard.
func (c *connection) group(shard int) *group {
	if c.multishard == nil {
		c.lastMultishard = nil
	}
	g := c.groups[shard]
	if g == nil {
		g = c.newGroup(shard)
		c.groups[shard] = g
		if c.multishard != nil {
			c.multishard.groups = append(c.multishard.groups, g)
		} else {
			c.usedShards = append(c.usedShards, shard)
		}
	}
	return g
}

// newGroup returns a group without tasks.
func (c *connection) newGroup(shard int) *group {
	if last := len(c.freeGroups) - 1; last >= 0 {
		g := c.freeGroups[last]
		c.freeGroups = c.freeGroups[:last]
		g.shard = shard
		return g
	}
	return &group{shard: shard, batch: c.batch}
}

// addMultishard puts the tasks that fill makes into one message to several shards, and the message
// into the outbox. If addMultishard made the last message and no shard was given another task
// since, the tasks join that message: so a pipeline of multishard commands is few messages. For a
// transaction, shards that have a watched key of tx belong to the message, too.
func (c *connection) addMultishard(tx *transaction, fill func()) {
	m := c.lastMultishard
	if tx != nil || m == nil || m.commands == maxMultishardCommands {
		m = &message{batch: c.batch, tx: tx}
		if tx != nil {
			tx.message = m
		}
	} else {
		c.outbox = c.outbox[:len(c.outbox)-1]
	}
	c.lastMultishard = nil
	m.commands++
	had, apart := len(m.groups), c.groups
	if c.groups = c.multishardGroups; c.groups == nil {
		c.groups = make([]*group, len(apart))
	}
	for _, g := range m.groups {
		c.groups[g.shard] = g
	}
	c.multishard = m
	fill()
	if tx != nil {
		for _, w := range tx.watches {
			c.group(w.shard)
		}
		place := make([]int, len(apart))
		for i, g := range m.groups {
			place[g.shard] = i
		}
		tx.shards = make([]int, len(tx.watches))
		for i, w := range tx.watches {
			tx.shards[i] = place[w.shard]
		}
	}
	clear(c.groups)
	c.multishardGroups, c.groups, c.multishard = c.groups, apart, nil
	for _, g := range m.groups[had:] {
		g.message = m
		c.seal(g.shard)
	}
	if len(m.groups) == 0 {
		return
	}
	c.outbox = append(c.outbox, m)
	if tx == nil {
		c.lastMultishard = m
	}
}

// maxMultishardCommands bounds the commands of a message to several shards, because the message
// holds all of them while it runs.
const maxMultishardCommands = 32

// seal ends the group of a shard: it is sent before later tasks for the shard.
func (c *connection) seal(shard int) {
	if g := c.groups[shard]; g != nil {
		g.self[0] = g
		g.own = message{groups: g.self[:], single: true, batch: c.batch}
		g.message = &g.own
		c.outbox = append(c.outbox, &g.own)
		c.groups[shard] = nil
	}
}

// spansShards reports whether a command touches more than one shard.
func (c *connection) spansShards(cmd *command, args [][]byte) bool {
	if cmd.firstKey == 0 {
		return len(c.server.units) > 1
	}
	first := c.server.shardOf(args[1])
	for i := 1 + cmd.stepKey; i < len(args); i += cmd.stepKey {
		if c.server.shardOf(args[i]) != first {
			return true
		}
	}
	return false
}

// addPart gives a shard its part of a request.
func (c *connection) addPart(shard int, p *part, args [][]byte) {
	g := c.group(shard)
	p.group = g
	g.tasks = append(g.tasks, task{cmd: c.fanOutCommand, part: p, args: args, commandIndex: c.commandIndex()})
}

// commandIndex returns the index, within its message, of the command at hand.
func (c *connection) commandIndex() int {
	if c.multishard == nil {
		return 0
	}
	return c.multishard.commands - 1
}

// partsByKey makes a part for each shard that has some of the keys, which are every step-th
// argument from the first.
func (c *connection) partsByKey(args [][]byte, step int, effect func(*shard, [][]byte, *part), values [][]byte) []*part {
	var parts []*part
	of := make([]*part, len(c.server.units))
	for i := 1; i < len(args); i += step {
		shard := c.server.shardOf(args[i])
		p := of[shard]
		if p == nil {
			p = &part{effect: effect, values: values}
			of[shard] = p
			parts = append(parts, p)
			c.addPart(shard, p, args)
		}
		p.picks = append(p.picks, i)
	}
	return parts
}

// partsEverywhere makes a part for each shard.
func (c *connection) partsEverywhere(args [][]byte, effect func(*shard, [][]byte, *part)) []*part {
	parts := make([]*part, len(c.server.units))
	for shard := range parts {
		parts[shard] = &part{effect: effect}
		c.addPart(shard, parts[shard], args)
	}
	return parts
}
