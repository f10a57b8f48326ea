package ddb

import (
	"sync/atomic"

	"github.com/freerun-go/freerun/internal/sys/pad"
)

// What the replies of a batch weigh. Only a shard knows how long a value is, so the shards see to the limit: when the replies
// of the batch that have not been written hold as much as they may, a shard halts before the next command that replies. The
// connection then writes what it can in the order of the requests, and sends the rest again. The message that the next reply
// comes from is urgent: it executes one command whatever the others hold, so the batch goes on.
//
// Replies of one command are made in one piece: MGET, KEYS and EXEC. A limit of its own bounds that: a client whose replies
// have copied more is closed.

// replyMemory is what the replies of a batch hold until they are written. Shards add to it a grain at a time.
type replyMemory struct {
	_      pad.Line
	held   atomic.Int64 // bytes that replies have copied or refer to
	copied atomic.Int64 // of them, those that are copies
	over   atomic.Bool  // more than most were copied: the client is to be closed
	limit  int64        // of held; the connection's, while no message is under way
	most   int64        // of copied; likewise; 0 for no limit
	client *clientMemory
	_      pad.Line
}

const (
	// replyGrain is how many bytes of replies a group makes before it tells the batch.
	replyGrain = 16 << 10

	// minReplyAllowance is what a batch may hold however much waits for the client already.
	minReplyAllowance = 1 << 20
)

// allows reports whether one more command of a message may be executed.
func (w *replyMemory) allows(m *message) bool {
	if w.held.Load() < w.limit {
		return true
	}
	urgent := m.urgent
	m.urgent = false
	return urgent
}

// noteBytes notes bytes of a reply that are not in out.buf.
func (g *group) noteBytes(n int, copied bool) {
	if copied {
		g.copies += int64(n)
	} else {
		g.refs += int64(n)
	}
}

// reportGrain tells the batch what the replies hold, if that is a grain more than it knows.
func (g *group) reportGrain() {
	if int64(len(g.out.buf))+g.copies+g.refs-g.held >= replyGrain {
		g.report()
	}
}

// report tells the batch what the unanswered replies of the group hold.
func (g *group) report() {
	copied := int64(len(g.out.buf)) + g.copies
	held, w := copied+g.refs, &g.batch.replyMemory
	if held != g.held {
		w.held.Add(held - g.held)
		g.held = held
	}
	if copied != g.copied {
		if w.copied.Add(copied-g.copied) > w.most && w.most > 0 {
			w.over.Store(true)
		}
		w.client.add(copied - g.copied)
		g.copied = copied
	}
	g.over = w.over.Load()
}

// release forgets the replies that have been answered.
func (g *group) release() {
	if g.written == len(g.out.buf) {
		if g.written = 0; cap(g.out.buf) > keptBuffer {
			g.out.buf = nil
		}
		g.out.buf = g.out.buf[:0]
	}
	g.report()
}

// copy notes n bytes that a part's reply is about to copy, and reports whether it may.
func (p *part) copy(n int) bool {
	p.bytes += int64(n)
	p.group.noteBytes(n, true)
	p.group.reportGrain()
	return !p.group.over
}

// refer notes n bytes that a part's reply refers to.
func (p *part) refer(n int) {
	p.refs += int64(n)
	p.group.noteBytes(n, false)
	p.group.reportGrain()
}

// answered forgets what the part's reply holds.
func (p *part) answered() {
	p.group.copies -= p.bytes
	p.group.refs -= p.refs
	p.bytes, p.refs, p.values, p.keys = 0, 0, nil, nil
}

// limitReplies sets what the replies of the batch may hold, given what waits for the client already.
func (c *connection) limitReplies() {
	most := c.server.outputLimit.Load()
	backlog := int64(standardBacklog)
	if most > 0 {
		backlog = min(backlog, most/2)
	}
	c.out.limit, c.out.most = int(backlog), most
	waiting := int64(0)
	if c.out.changed != nil {
		waiting = c.out.backlogged()
	}
	c.batch.limit, c.batch.most = max(backlog-waiting, min(minReplyAllowance, backlog)), most
}

// answerReady answers the requests of the batch, in their order, up to the first one that a shard has halted at. The message
// with that one is urgent then.
func (c *connection) answerReady() {
	for ; c.answered < len(c.slots) && !c.refused; c.answered++ {
		s := &c.slots[c.answered]
		if m := c.unanswered(s); m != nil {
			m.urgent = true
			break
		}
		c.refused = !c.answer(s)
	}
	for _, m := range c.outbox {
		for _, g := range m.groups {
			g.release()
		}
	}
}

// unanswered returns the message that has to be sent again before a request is answered, nil if there is none.
func (c *connection) unanswered(s *slot) *message {
	switch s.source {
	case fromShard:
		if s.task >= s.group.completed && s.group.message.halted {
			return s.group.message
		}
	case fromFanOut:
		for _, p := range s.fanOut.parts {
			if !p.done && p.group.message.halted {
				return p.group.message
			}
		}
	case fromTransaction:
		if !s.tx.begun && s.tx.message.halted {
			return s.tx.message
		}
	case fromDeferred:
		for _, m := range c.outbox {
			if m.halted {
				return m
			}
		}
	}
	return nil
}
