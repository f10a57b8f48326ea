package ddb

import (
	"sync/atomic"

	"github.com/freerun-go/freerun/internal/sys/pad"
)

// Limits on the replies of a batch. Only a shard knows how long a value is, so the shards keep the
// limit: when the unwritten replies of the batch hold as much as they may, a shard halts before the
// next command that replies. The connection then writes the replies that it can, in the order of
// the requests, and sends the rest again. The message that has the next reply is urgent: it
// executes one command whatever the other replies hold, so the batch goes on.
//
// The reply of one command is made in one piece: MGET, KEYS and EXEC. A second limit bounds that: a
// client whose replies have copied more is disconnected.

// replyMemory is the memory that the replies of a batch hold until they are written. Shards add to
// it a grain at a time.
type replyMemory struct {
	_      pad.Line
	held   atomic.Int64 // bytes that replies have copied or refer to
	copied atomic.Int64 // of held, the bytes of copies
	// More than most were copied: the client will be disconnected.
	over atomic.Bool
	// The limit of held. The connection writes it while no message is under way.
	limit  int64
	most   int64 // the limit of copied, likewise; 0 for none
	client *clientMemory
	_      pad.Line
}

const (
	// replyGrain is how many bytes of replies a group makes between two reports to the batch.
	replyGrain = 16 << 10

	// minReplyAllowance is the number of bytes that the replies of a batch may always hold, however
	// much waits for the client.
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

// noteBytes notes bytes of a reply that are outside of out.buf.
func (g *group) noteBytes(n int, copied bool) {
	if copied {
		g.copies += int64(n)
	} else {
		g.refs += int64(n)
	}
}

// reportGrain reports to the batch if the replies hold a grain more than at the last report.
func (g *group) reportGrain() {
	if int64(len(g.out.buf))+g.copies+g.refs-g.held >= replyGrain {
		g.report()
	}
}

// report tells the batch how much the group's unanswered replies hold.
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

// release drops the replies that have been answered.
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

// answered drops the contents of the part's reply, which has been written.
func (p *part) answered() {
	p.group.copies -= p.bytes
	p.group.refs -= p.refs
	p.bytes, p.refs, p.values, p.keys = 0, 0, nil, nil
}

// limitReplies sets how much the replies of the batch may hold, given what already waits for the
// client.
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

// answerReady answers the requests of the batch, in order, up to the first whose shard has halted.
// The message of that request becomes urgent.
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

// unanswered returns the message that must be sent again before a request can be answered, nil if
// there is none.
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
