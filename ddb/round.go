package ddb

import "time"

// slot is where the reply to one request of a round comes from.
type slot struct {
	source source
	group  *group // fromShard
	task   int    // fromShard: the task within it

	start, end int // fromConnection: the reply is local.buf[start:end], and tail
	tail       []byte

	gathered *gathered

	tx *transaction // fromTransaction

	cmd  *command // fromCommand: answered when the reply is written
	args [][]byte
}

type source uint8

const (
	fromConnection source = iota
	fromShard
	fromShards
	fromTransaction
	fromCommand
)

// gathered is the reply that is joined from the parts of several shards.
type gathered struct {
	parts  []*part
	values [][]byte
	join   func(c *connection, g *gathered)
}

// route decides who answers a request, and lets the connection answer at once what needs no shard. In a transaction it
// queues the request instead.
func (c *connection) route(args [][]byte) {
	cmd, msg := resolve(args)
	if cmd == nil && isWebRequest(args[0]) {
		c.quit = true
		return
	}
	if cmd != nil && cmd.subcommands != nil && cmd.local == nil {
		msg, cmd = errArity(cmd.name), nil // a container without its subcommand
	}
	if cmd != nil && !cmd.open && c.isStranger() {
		msg, cmd = errNoAuth, nil
	}
	switch {
	case cmd == nil:
		if c.queue.spoil(); equalFold(args[0], "EXEC") { // its own misuse ends the transaction
			c.discard()
			msg = errAborted(msg)
		}
		c.server.stats.failed.Add(1)
		c.slots = append(c.slots, c.say(func() { c.local.fail(msg) }))
	case c.queue.open && !cmd.immediate:
		c.last.Store(cmd)
		c.slots = append(c.slots, c.say(func() {
			if c.server.budget.exhausted() { // or queues would go on growing; Redis refuses whatever the command is
				c.queue.spoil()
				c.local.fail(errOOM)
				return
			}
			c.enqueue(cmd, args)
		}))
	default:
		c.last.Store(cmd)
		c.slots = append(c.slots, c.begin(cmd, args))
	}
}

// begin gives a command to those who execute it, and says where its reply comes from.
func (c *connection) begin(cmd *command, args [][]byte) (s slot) {
	switch {
	case cmd.keyed != nil:
		g := c.group(c.server.shardOf(args[1]))
		g.tasks = append(g.tasks, task{cmd: cmd, effect: cmd.keyed, args: args, turn: c.turn()})
		return slot{source: fromShard, group: g, task: len(g.tasks) - 1}
	case cmd.transacts != nil:
		return cmd.transacts(c, args)
	case cmd.spread != nil:
		var gathered *gathered
		spread := func() { s = c.say(func() { gathered = cmd.spread(c, args, &c.local) }) }
		c.spreading = cmd
		defer func() { c.spreading = nil }()
		if cmd.atomic && c.together == nil && c.spans(cmd, args) {
			c.jointly(nil, spread)
		} else {
			spread()
		}
		if gathered != nil {
			return slot{source: fromShards, gathered: gathered}
		}
		return s
	case cmd.alone:
		c.cut = true
		return slot{source: fromCommand, cmd: cmd, args: args}
	default:
		return c.say(func() { cmd.local(c, args, &c.local) })
	}
}

// say returns the reply that is written to local meanwhile.
func (c *connection) say(write func()) slot {
	start := len(c.local.buf)
	write()
	s := slot{start: start, end: len(c.local.buf), tail: c.local.tail}
	c.local.tail = nil
	return s
}

// isWebRequest recognises a browser that was tricked into posting to this port: its connection is closed before the
// body can be taken for commands, as Redis does.
func isWebRequest(name []byte) bool { return equalFold(name, "POST") || equalFold(name, "HOST:") }

// group returns the group that what comes next for a shard goes into.
func (c *connection) group(shard int) *group {
	if c.together == nil {
		c.joint = nil
	}
	g := c.groups[shard]
	if g == nil {
		g = c.fresh(shard)
		c.groups[shard] = g
		if c.together != nil {
			c.together.groups = append(c.together.groups, g)
		} else {
			c.used = append(c.used, shard)
		}
	}
	return g
}

// fresh returns a group without tasks.
func (c *connection) fresh(shard int) *group {
	if last := len(c.idle) - 1; last >= 0 {
		g := c.idle[last]
		c.idle = c.idle[:last]
		g.shard = shard
		return g
	}
	return &group{shard: shard, round: c.round}
}

// jointly makes what fill gives to shards a message of its own, or a part of the last one if that was made here and nothing was given to any shard
// since: a pipeline of such commands is few messages. Shards that have a watched key of tx belong to it too.
func (c *connection) jointly(tx *transaction, fill func()) {
	m := c.joint
	if tx != nil || m == nil || m.commands == mostTogether {
		m = &message{round: c.round, tx: tx}
		if tx != nil {
			tx.message = m
		}
	} else {
		c.outbox = c.outbox[:len(c.outbox)-1]
	}
	c.joint = nil
	m.commands++
	had, apart := len(m.groups), c.groups
	if c.groups = c.scratch; c.groups == nil {
		c.groups = make([]*group, len(apart))
	}
	for _, g := range m.groups {
		c.groups[g.shard] = g
	}
	c.together = m
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
	c.scratch, c.groups, c.together = c.groups, apart, nil
	for _, g := range m.groups[had:] {
		g.message = m
		c.seal(g.shard)
	}
	if len(m.groups) == 0 {
		return
	}
	c.outbox = append(c.outbox, m)
	if tx == nil {
		c.joint = m
	}
}

// mostTogether bounds the commands of a message to several shards, which keeps all of them from others.
const mostTogether = 32

// seal ends the group of a shard: it is sent before what comes next for the shard.
func (c *connection) seal(shard int) {
	if g := c.groups[shard]; g != nil {
		g.self[0] = g
		g.alone = message{groups: g.self[:], single: true, round: c.round}
		g.message = &g.alone
		c.outbox = append(c.outbox, &g.alone)
		c.groups[shard] = nil
	}
}

// spans reports whether a command touches more than one shard.
func (c *connection) spans(cmd *command, args [][]byte) bool {
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

// add gives a shard its part of a request.
func (c *connection) add(shard int, p *part, args [][]byte) {
	g := c.group(shard)
	p.group = g
	g.tasks = append(g.tasks, task{cmd: c.spreading, part: p, args: args, turn: c.turn()})
}

// turn returns the number of the command that is being made, within its message.
func (c *connection) turn() int {
	if c.together == nil {
		return 0
	}
	return c.together.commands - 1
}

// byKey makes a part for each shard that has some of the keys, which are every step-th argument from the first.
func (c *connection) byKey(args [][]byte, step int, effect func(*shard, [][]byte, *part), values [][]byte) []*part {
	var parts []*part
	of := make([]*part, len(c.server.units))
	for i := 1; i < len(args); i += step {
		shard := c.server.shardOf(args[i])
		p := of[shard]
		if p == nil {
			p = &part{effect: effect, values: values}
			of[shard] = p
			parts = append(parts, p)
			c.add(shard, p, args)
		}
		p.picks = append(p.picks, i)
	}
	return parts
}

// everywhere makes a part for each shard.
func (c *connection) everywhere(args [][]byte, effect func(*shard, [][]byte, *part)) []*part {
	parts := make([]*part, len(c.server.units))
	for shard := range parts {
		parts[shard] = &part{effect: effect}
		c.add(shard, parts[shard], args)
	}
	return parts
}

// execute sends the messages of the round, waits for all of them and writes the replies.
func (c *connection) execute() error {
	c.now, c.executed = time.Now(), true
	c.active.Store(c.now.Unix())
	for _, shard := range c.used {
		c.seal(shard)
	}
	if c.arguments > 0 {
		c.weigh()
	}
	if len(c.outbox) > 0 && !c.dispatch() {
		c.out.bytes([]byte("-" + errShuttingDown + "\r\n"))
		c.out.flush()
		return errRefused
	}
	switch {
	case c.round.over.Load():
		return errOutputLimit
	case c.refused:
		c.out.flush()
		return errRefused
	}
	for ; c.answered < len(c.slots); c.answered++ {
		if !c.answer(&c.slots[c.answered]) {
			c.out.flush()
			return errRefused
		}
	}
	c.server.stats.commands.Add(uint64(len(c.slots))) // after the replies, so INFO does not count itself
	c.forget()
	return nil
}

// answer writes one reply. It returns false, with an error as the reply, if the runtime refused the command.
func (c *connection) answer(s *slot) bool {
	switch s.source {
	case fromShard:
		g := s.group
		switch {
		case g.refused:
			c.out.bytes([]byte("-" + errShuttingDown + "\r\n"))
			return false
		case s.task >= g.completed:
			c.out.bytes([]byte("-" + errInternal + "\r\n"))
		default:
			t := &g.tasks[s.task]
			c.reply(g.out.buf[t.start:t.end], t.tail, false)
			g.written = t.end
			if t.tail != nil {
				g.hang(-len(t.tail), c.server.arena != nil)
				t.tail = nil
			}
		}
	case fromConnection:
		c.reply(c.local.buf[s.start:s.end], s.tail, true) // the tail is in the read buffer
	case fromShards:
		for _, p := range s.gathered.parts {
			if !p.done {
				return c.incomplete()
			}
		}
		s.gathered.join(c, s.gathered)
		for _, p := range s.gathered.parts {
			p.answered()
		}
		s.gathered.values = nil
	case fromTransaction:
		return c.answerTransaction(s.tx)
	case fromCommand:
		now := c.say(func() { s.cmd.local(c, s.args, &c.local) })
		c.reply(c.local.buf[now.start:now.end], now.tail, true)
		c.local.buf = c.local.buf[:now.start]
	}
	return true
}

// incomplete answers a command of which some shard has not done its part.
func (c *connection) incomplete() bool {
	for _, m := range c.outbox {
		if m.groups[0].refused {
			c.out.bytes([]byte("-" + errShuttingDown + "\r\n"))
			return false
		}
	}
	c.out.bytes([]byte("-" + errInternal + "\r\n"))
	return true
}

func (c *connection) reply(head, tail []byte, reused bool) {
	c.out.bytes(head)
	if tail != nil {
		c.out.long(tail, reused)
		c.out.bytes([]byte("\r\n"))
	}
}

// forget ends the round.
func (c *connection) forget() {
	for _, m := range c.outbox {
		for _, g := range m.groups {
			c.kept -= g.kept
			g.reset()
			if len(c.idle) < 2*len(c.groups) {
				c.idle = append(c.idle, g)
				c.kept += g.kept
			}
		}
	}
	c.joint, c.cut, c.answered, c.arguments = nil, false, 0, 0
	c.used, c.outbox, c.slots, c.arena = c.used[:0], emptied(c.outbox), emptied(c.slots), emptied(c.arena)
	if cap(c.local.buf) > keptBuffer {
		c.local.buf = nil
	}
	c.local.buf = c.local.buf[:0]
	c.weigh()
}
