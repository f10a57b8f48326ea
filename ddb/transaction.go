package ddb

import (
	"github.com/tidwall/redcon"
)

// Transactions: MULTI queues what follows, EXEC sends all of it as one message to all shards concerned, so that nobody sees
// a part of it, and nothing of it is done if a watched key has changed.

// queue is what a connection has queued since MULTI.
type queue struct {
	open     bool
	aborted  bool // something could not be queued: EXEC will refuse, and nothing is kept for it
	tooLarge bool
	commands []queued
	bytes    int // what they take
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
	shards  []int // of each watch, where its shard is in the message
	slots   []slot
	message *message // nil if it has nothing to do
	// The outcome.
	begun   bool
	refused bool // there was no memory, and nothing was done
	changed bool // a watched key has changed, and nothing was done
}

// begin decides whether the transaction is executed, and forgets its watches.
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

// enqueue queues a command between MULTI and EXEC. Its arguments are copied: EXEC may come in a later batch.
func (c *connection) enqueue(cmd *command, args [][]byte) {
	if c.queue.tooLarge {
		c.local.fail(errTransactionSize)
		return
	}
	if c.queue.aborted {
		c.local.simple("QUEUED") // as Redis does, which does not keep it either
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

// What a queued command takes beside its bytes, about, with what EXEC makes of it; and an argument.
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

// discard forgets the queue and the watches.
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
			if one.cmd.local != nil { // it must not be executed before it is known that the others are
				tx.slots = append(tx.slots, slot{source: fromDeferred, cmd: one.cmd, args: one.args})
				c.endsBatch = c.endsBatch || one.cmd.barrier
			} else {
				tx.slots = append(tx.slots, c.begin(one.cmd, one.args))
			}
		}
		tx.begun = len(c.multishard.groups) == 0 && len(tx.watches) == 0 // there is no message then
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
