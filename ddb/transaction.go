package ddb

import (
	"github.com/tidwall/redcon"
)

// Transactions: MULTI queues the commands that follow. EXEC sends them as one message to all shards
// concerned, so no other connection sees a part of the transaction. If a watched key has changed,
// none of it is executed.

// queue holds the commands of a connection since MULTI.
type queue struct {
	open bool
	// A command could not be queued: EXEC will refuse, and the queue stays empty.
	aborted  bool
	tooLarge bool
	commands []queued
	bytes    int // bytes of the queued commands
}

type queued struct {
	cmd  *command
	args [][]byte
}

func (q *queue) abort() {
	if q.open {
		q.aborted, q.commands, q.bytes = true, nil, 0
	}
}

// transaction is one EXEC.
type transaction struct {
	watches []*watchpoint
	shards  []int // for each watch, the index of its shard in message.groups
	slots   []slot
	message *message // nil if no shard takes part
	// The outcome.
	begun   bool
	refused bool // no memory; nothing was executed
	changed bool // a watched key has changed; nothing was executed
}

// begin decides whether the transaction is executed, and drops its watches.
func (tx *transaction) begin(shards []*shard) bool {
	for i, w := range tx.watches {
		s := shards[tx.shards[i]]
		s.begin()
		s.find([]byte(w.key)) // a key that is due has changed
		tx.changed = tx.changed || w.touched
		s.unwatch(w)
		s.end()
	}
	tx.begun = true
	return !tx.changed
}

// enqueue queues a command between MULTI and EXEC. It copies the arguments, because EXEC may come
// in a later batch.
func (c *connection) enqueue(cmd *command, args [][]byte) {
	if c.queue.tooLarge {
		c.local.fail(errTransactionSize)
		return
	}
	if c.queue.aborted {
		c.local.simple("QUEUED") // as Redis does, which does not queue it either
		return
	}
	size := 0
	for _, arg := range args {
		size += len(arg)
	}
	if c.queue.bytes += size + len(args)*argumentOverhead + queuedOverhead; c.queue.bytes > c.server.config.MaxRequest {
		c.queue.abort()
		c.queue.tooLarge = true
		c.local.fail(errTransactionSize)
		return
	}
	copied, room := make([][]byte, len(args)), make([]byte, 0, size)
	for i, arg := range args {
		room = append(room, arg...)
		copied[i] = room[len(room)-len(arg) : len(room) : len(room)]
	}
	c.queue.commands = append(c.queue.commands, queued{cmd, copied})
	c.multi.Store(int64(len(c.queue.commands)))
	c.local.simple("QUEUED")
}

// Roughly what a queued command and an argument take beside their bytes, with what EXEC makes of
// them.
const (
	queuedOverhead   = 400
	argumentOverhead = 24
)

func multi(c *connection, _ [][]byte) slot {
	return c.replyLocally(func() {
		if c.queue.open {
			c.local.fail(errNested)
			return
		}
		c.queue = queue{open: true}
		c.multi.Store(0)
		c.local.ok()
	})
}

func discard(c *connection, _ [][]byte) slot {
	return c.replyLocally(func() {
		if !c.queue.open {
			c.local.fail(errNoMulti("DISCARD"))
			return
		}
		c.discard()
		c.local.ok()
	})
}

// discard drops the queue and the watches.
func (c *connection) discard() {
	c.closeQueue()
	c.unwatchAll()
}

func (c *connection) closeQueue() {
	c.queue = queue{}
	c.multi.Store(-1)
}

func execAll(c *connection, _ [][]byte) slot {
	q := c.queue
	switch {
	case !q.open:
		return c.replyLocally(func() { c.local.fail(errNoMulti("EXEC")) })
	case q.aborted:
		c.discard()
		return c.replyLocally(func() { c.local.fail(errExecAbort) })
	}
	c.closeQueue()
	tx := &transaction{watches: c.watches.points}
	c.watches = watches{}
	c.addMultishard(tx, func() {
		for _, one := range q.commands {
			// It must not run before it is known that the shards execute the transaction.
			if one.cmd.local != nil {
				tx.slots = append(tx.slots, slot{source: fromDeferred, cmd: one.cmd, args: one.args})
				c.endsBatch = c.endsBatch || one.cmd.barrier
			} else {
				tx.slots = append(tx.slots, c.begin(one.cmd, one.args))
			}
		}
		// Without shards there is no message that could set it.
		tx.begun = len(c.multishard.groups) == 0 && len(tx.watches) == 0
	})
	return slot{source: fromTransaction, tx: tx}
}

// answerTransaction writes the replies of an EXEC.
func (c *connection) answerTransaction(tx *transaction) bool {
	switch {
	case !tx.begun:
		return c.answerIncomplete()
	case tx.refused:
		c.out.bytes([]byte("-" + errAborted(errOOM) + "\r\n"))
		return true
	case tx.changed:
		c.out.bytes([]byte("*-1\r\n"))
		return true
	}
	c.out.bytes(redcon.AppendArray(nil, len(tx.slots)))
	for i := range tx.slots {
		if !c.answer(&tx.slots[i]) {
			return false
		}
	}
	return true
}
