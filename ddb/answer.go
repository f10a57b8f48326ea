package ddb

import "time"

// execute sends the messages of the batch, waits for all of them and writes the replies.
func (c *connection) execute() error {
	c.now, c.executed = time.Now(), true
	c.active.Store(c.now.Unix())
	for _, shard := range c.usedShards {
		c.seal(shard)
	}
	if c.arguments > 0 {
		c.measure()
	}
	if len(c.outbox) > 0 && !c.dispatch() {
		c.out.bytes([]byte("-" + errShuttingDown + "\r\n"))
		c.out.flush()
		return errRefused
	}
	switch {
	case c.batch.over.Load():
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
	// After the replies, so that INFO does not count itself.
	c.server.stats.commands.Add(uint64(len(c.slots)))
	c.forget()
	return nil
}

// answer writes one reply. If the runtime refused the command, the reply is an error and answer
// returns false.
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
				g.noteBytes(-len(t.tail), c.server.arena != nil)
				t.tail = nil
			}
		}
	case fromConnection:
		c.reply(c.local.buf[s.start:s.end], s.tail, true) // the tail is in the read buffer
	case fromFanOut:
		for _, p := range s.fanOut.parts {
			if !p.done {
				return c.answerIncomplete()
			}
		}
		s.fanOut.join(c, s.fanOut)
		for _, p := range s.fanOut.parts {
			p.answered()
		}
		s.fanOut.values = nil
	case fromTransaction:
		return c.answerTransaction(s.tx)
	case fromDeferred:
		now := c.replyLocally(func() { s.cmd.local(c, s.args, &c.local) })
		c.reply(c.local.buf[now.start:now.end], now.tail, true)
		c.local.buf = c.local.buf[:now.start]
	}
	return true
}

// answerIncomplete answers a command of which a shard has not done its part.
func (c *connection) answerIncomplete() bool {
	for _, m := range c.outbox {
		if m.groups[0].refused {
			c.out.bytes([]byte("-" + errShuttingDown + "\r\n"))
			return false
		}
	}
	c.out.bytes([]byte("-" + errInternal + "\r\n"))
	return true
}

// lineEnd ends a bulk.
var lineEnd = []byte("\r\n")

func (c *connection) reply(head, tail []byte, reused bool) {
	c.out.bytes(head)
	if tail != nil {
		c.out.long(tail, lineEnd, reused)
	}
}

// forget ends the batch, and keeps groups and buffers of modest size for the next one.
func (c *connection) forget() {
	for _, m := range c.outbox {
		for _, g := range m.groups {
			c.kept -= g.kept
			g.reset()
			if len(c.freeGroups) < 2*len(c.groups) {
				c.freeGroups = append(c.freeGroups, g)
				c.kept += g.kept
			}
		}
	}
	c.lastMultishard, c.endsBatch, c.answered, c.arguments = nil, false, 0, 0
	c.usedShards, c.outbox, c.slots, c.arena = c.usedShards[:0], emptied(c.outbox), emptied(c.slots), emptied(c.arena)
	if cap(c.local.buf) > keptBuffer {
		c.local.buf = nil
	}
	c.local.buf = c.local.buf[:0]
	c.measure()
}
