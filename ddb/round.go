package ddb

import "time"

// slot is where the reply to one request of a round comes from.
type slot struct {
	source source
	shard  int // fromShard: the group
	task   int // fromShard: the task within it

	start, end int // fromConnection: the reply is local.buf[start:end], and tail
	tail       []byte

	gathered *gathered
}

type source uint8

const (
	fromConnection source = iota
	fromShard
	fromShards
)

// gathered is the reply that is joined from the parts of several shards.
type gathered struct {
	parts  []*part
	values [][]byte
	join   func(c *connection, g *gathered)
}

// route decides who answers a request, and lets the connection answer at once what needs no shard.
func (c *connection) route(args [][]byte) {
	cmd, msg := resolve(args)
	start := len(c.local.buf)
	switch {
	case cmd == nil && isWebRequest(args[0]):
		c.quit = true
		return
	case cmd == nil:
		c.local.fail(msg)
	case cmd.keyed != nil:
		shard := c.server.shardOf(args[1])
		g := c.group(shard)
		c.slots = append(c.slots, slot{source: fromShard, shard: shard, task: len(g.tasks)})
		g.tasks = append(g.tasks, task{effect: cmd.keyed, args: args})
		c.last.Store(cmd)
		return
	case cmd.spread != nil:
		c.last.Store(cmd)
		if gathered := cmd.spread(c, args, &c.local); gathered != nil {
			c.slots = append(c.slots, slot{source: fromShards, gathered: gathered})
			return
		}
	case cmd.local != nil:
		c.last.Store(cmd)
		cmd.local(c, args, &c.local)
	default: // a container without its subcommand
		c.local.fail(errArity(cmd.name))
	}
	if cmd == nil {
		c.server.stats.failed.Add(1)
	}
	c.slots = append(c.slots, slot{start: start, end: len(c.local.buf), tail: c.local.tail})
	c.local.tail = nil
}

// isWebRequest recognises a browser that was tricked into posting to this port: its connection is closed before the
// body can be taken for commands, as Redis does.
func isWebRequest(name []byte) bool { return equalFold(name, "POST") || equalFold(name, "HOST:") }

// group returns the group of a shard, which it adds to the round.
func (c *connection) group(shard int) *group {
	g := c.groups[shard]
	if g == nil {
		g = &group{round: c.round}
		c.groups[shard] = g
	}
	if len(g.tasks) == 0 {
		c.used = append(c.used, shard)
	}
	return g
}

// add gives a shard its part of a request.
func (c *connection) add(shard int, p *part, args [][]byte) {
	g := c.group(shard)
	g.tasks = append(g.tasks, task{part: p, args: args})
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

// execute sends the groups of the round, waits for all of them and writes the replies.
func (c *connection) execute() error {
	c.active.Store(time.Now().Unix())
	if len(c.used) > 0 && !c.dispatch() {
		c.out.bytes([]byte("-" + errShuttingDown + "\r\n"))
		c.out.flush()
		return errRefused
	}
	for i := range c.slots {
		if !c.answer(&c.slots[i]) {
			c.out.flush()
			return errRefused
		}
	}
	c.server.stats.commands.Add(uint64(len(c.slots))) // after the replies, so INFO does not count itself
	c.forget()
	return nil
}

// dispatch reports whether the round was completed. If it was not, the groups may still be in a shard's hands.
func (c *connection) dispatch() bool {
	c.round.pending.Store(int32(len(c.used)))
	refused := int32(0)
	for _, shard := range c.used {
		g := c.groups[shard]
		if execute.Tell(c.server.outside, c.server.units[shard], g) != nil {
			g.refused = true
			refused++
		}
	}
	if refused > 0 && c.round.pending.Add(-refused) == 0 {
		return true // nobody is left to put a token
	}
	<-c.round.done
	return c.round.pending.Load() == 0
}

// abandon ends the wait for a round that the runtime will not complete. Only after the runtime was closed.
func (c *connection) abandon() {
	select {
	case c.round.done <- struct{}{}:
	default:
	}
}

// answer writes one reply. It returns false, with an error as the reply, if the runtime refused the command.
func (c *connection) answer(s *slot) bool {
	switch s.source {
	case fromShard:
		g := c.groups[s.shard]
		switch {
		case g.refused:
			c.out.bytes([]byte("-" + errShuttingDown + "\r\n"))
			return false
		case s.task >= g.completed:
			c.out.bytes([]byte("-" + errInternal + "\r\n"))
		default:
			t := &g.tasks[s.task]
			c.reply(g.out.buf[t.start:t.end], t.tail, false)
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
	}
	return true
}

// incomplete answers a command of which some shard has not done its part.
func (c *connection) incomplete() bool {
	for _, shard := range c.used {
		if c.groups[shard].refused {
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
	for _, shard := range c.used {
		c.groups[shard].reset()
	}
	c.used, c.slots, c.arena = c.used[:0], emptied(c.slots), emptied(c.arena)
	if cap(c.local.buf) > keptBuffer {
		c.local.buf = nil
	}
	c.local.buf = c.local.buf[:0]
}
