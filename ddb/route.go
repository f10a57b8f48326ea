package ddb

// slot says where the reply to one request of a batch comes from.
type slot struct {
	source source
	group  *group // fromShard
	task   int    // fromShard: index in group.tasks

	// fromConnection: the reply is local.buf[start:end], then tail.
	start, end int
	tail       []byte

	fanOut *fanOutReply

	tx *transaction // fromTransaction

	cmd  *command // fromDeferred: executed when the reply is written
	args [][]byte
}

type source uint8

const (
	fromConnection source = iota
	fromShard
	fromFanOut
	fromTransaction
	fromDeferred
)

// fanOutReply is the reply that is joined from the parts of several shards.
type fanOutReply struct {
	parts  []*part
	values [][]byte
	join   func(c *connection, g *fanOutReply)
}

// route gives a request to its shards, or has the connection answer it if it needs none. After
// MULTI it queues the request instead, unless the command is immediate.
func (c *connection) route(args [][]byte) {
	cmd, msg := resolve(args)
	if cmd == nil && isWebRequest(args[0]) {
		c.quit = true
		return
	}
	if cmd != nil && cmd.subcommands != nil && cmd.local == nil {
		msg, cmd = errArity(cmd.name), nil // a container without its subcommand
	}
	if cmd != nil && !cmd.noAuth && c.needsAuth() {
		msg, cmd = errNoAuth, nil
	}
	switch {
	case cmd == nil:
		if c.queue.abort(); equalFold(args[0], "EXEC") { // a wrong EXEC ends the transaction
			c.discard()
			msg = errAborted(msg)
		}
		c.server.stats.failed.Add(1)
		c.slots = append(c.slots, c.replyLocally(func() { c.local.fail(msg) }))
	case c.queue.open && !cmd.immediate:
		c.last.Store(cmd)
		c.slots = append(c.slots, c.replyLocally(func() {
			// When memory is exhausted, Redis refuses to queue any command. Otherwise queues would
			// go on growing.
			if c.server.budget.exhausted() {
				c.queue.abort()
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

// begin hands a command to its shards or to the connection, and returns the slot of its reply.
func (c *connection) begin(cmd *command, args [][]byte) (s slot) {
	switch {
	case cmd.keyed != nil:
		g := c.group(c.server.shardOf(args[1]))
		g.tasks = append(g.tasks, task{cmd: cmd, effect: cmd.keyed, args: args, commandIndex: c.commandIndex()})
		return slot{source: fromShard, group: g, task: len(g.tasks) - 1}
	case cmd.transacts != nil:
		return cmd.transacts(c, args)
	case cmd.fanOut != nil:
		var reply *fanOutReply
		fanOut := func() { s = c.replyLocally(func() { reply = cmd.fanOut(c, args, &c.local) }) }
		c.fanOutCommand = cmd
		defer func() { c.fanOutCommand = nil }()
		if cmd.atomic && c.multishard == nil && c.spansShards(cmd, args) {
			c.addMultishard(nil, fanOut)
		} else {
			fanOut()
		}
		if reply != nil {
			return slot{source: fromFanOut, fanOut: reply}
		}
		return s
	case cmd.barrier:
		c.endsBatch = true
		return slot{source: fromDeferred, cmd: cmd, args: args}
	default:
		return c.replyLocally(func() { cmd.local(c, args, &c.local) })
	}
}

// replyLocally returns the slot of the reply that the function writes to local.
func (c *connection) replyLocally(write func()) slot {
	start := len(c.local.buf)
	write()
	s := slot{start: start, end: len(c.local.buf), tail: c.local.tail}
	c.local.tail = nil
	return s
}

// isWebRequest recognises a browser that was tricked into posting to this port. As in Redis, its
// connection is closed before the body can be taken for commands.
func isWebRequest(name []byte) bool { return equalFold(name, "POST") || equalFold(name, "HOST:") }
