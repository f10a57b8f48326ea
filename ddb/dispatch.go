package ddb

import "github.com/freerun-go/freerun"

// How a connection sends the messages of a batch and waits for them.

// dispatch sends the messages of the batch, again where shards halt, and reports whether all came
// back. If not, shards may still have some of them.
func (c *connection) dispatch() bool {
	c.limitReplies()
	for messages := c.outbox; len(messages) > 0 && !c.lost; messages = c.halted() {
		completed := c.await(len(messages), func(i int) bool {
			m := messages[i]
			if c.send(m) == nil {
				return true
			}
			for _, g := range m.groups {
				g.refused = true
			}
			return false
		})
		switch {
		case !completed:
			return false
		case c.batch.over.Load():
			return true // the client will be disconnected
		case c.batch.held.Load() >= c.batch.limit:
			if c.answerReady(); c.refused {
				return true
			}
			c.limitReplies()
		}
	}
	return !c.lost
}

// await sends n messages and waits for all that were not refused. It reports whether these came
// back.
func (c *connection) await(n int, send func(i int) bool) bool {
	if c.lost {
		return false
	}
	c.batch.pending.Store(int32(n))
	refused := int32(0)
	for i := range n {
		if !send(i) {
			refused++
		}
	}
	if refused > 0 && c.batch.pending.Add(-refused) == 0 {
		return true // no message is left that would put a token
	}
	<-c.batch.done
	c.lost = c.batch.pending.Load() != 0
	return !c.lost
}

func (c *connection) send(m *message) error {
	s := c.server
	if m.single {
		return execute.Tell(s.outside, s.units[m.groups[0].shard], m.groups[0])
	}
	units := make([]*freerun.Unit[shard], len(m.groups))
	for i, g := range m.groups {
		units[i] = s.units[g.shard]
	}
	return executeMultishard.Tell(s.outside, units, m)
}

// abandon ends the wait for a batch that the runtime will not complete. It may be called only after
// the runtime was closed.
func (c *connection) abandon() {
	select {
	case c.batch.done <- struct{}{}:
	default:
	}
}
