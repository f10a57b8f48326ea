package ddb

// slot is where the reply to one request of a batch comes from.
type slot struct {
	source source
	group  *group // fromShard
	task   int    // fromShard: the task within it

	start, end int // fromConnection: the reply is local.buf[start:end], and tail
	tail       []byte

	fanOut *fanOutReply

	tx *transaction // fromTransaction

	cmd  *command // fromCommand: answered when the reply is written
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
	if cmd != nil && !cmd.noAuth && c.needsAuth() {
		msg, cmd = errNoAuth, nil
	}
	switch {
	case cmd == nil:
		if c.queue.abort(); equalFold(args[0], "EXEC") { // its own misuse ends the transaction
			c.discard()
			msg = errAborted(msg)
		}
		c.server.stats.failed.Add(1)
		c.slots = append(c.slots, c.replyLocally(func() { c.local.fail(msg) }))
	case c.queue.open && !cmd.immediate:
		c.last.Store(cmd)
		c.slots = append(c.slots, c.replyLocally(func() {
			if c.server.budget.exhausted() { // or queues would go on growing; Redis refuses whatever the command is
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

// begin gives a command to those who execute it, and says where its reply comes from.
func (c *connection) begin(cmd *command, args [][]byte) (s slot) {
	switch {
	case cmd.keyed != nil:
		g := c.group(c.server.shardOf(args[1]))
		g.tasks = append(g.tasks, task{cmd: cmd, effect: cmd.keyed, args: args, commandIndex: c.commandIndex()})
		return slot{source: fromShard, group: g, task: len(g.tasks) - 1}
	case cmd.transacts != nil:
		return cmd.transacts(c, args)
	case cmd.fanOut != nil:
		var gathered *fanOutReply
		spread := func() { s = c.replyLocally(func() { gathered = cmd.fanOut(c, args, &c.local) }) }
		c.fanOutCommand = cmd
		defer func() { c.fanOutCommand = nil }()
		if cmd.atomic && c.multishard == nil && c.spansShards(cmd, args) {
			c.addMultishard(nil, spread)
		} else {
			spread()
		}
		if gathered != nil {
			return slot{source: fromFanOut, fanOut: gathered}
		}
		return s
	case cmd.barrier:
		c.endsBatch = true
		return slot{source: fromDeferred, cmd: cmd, args: args}
	default:
		return c.replyLocally(func() { cmd.local(c, args, &c.local) })
	}
}

// replyLocally returns the reply that is written to local meanwhile.
func (c *connection) replyLocally(write func()) slot {
	start := len(c.local.buf)
	write()
	s := slot{start: start, end: len(c.local.buf), tail: c.local.tail}
	c.local.tail = nil
	return s
}

// isWebRequest recognises a browser that was tricked into posting to this port: its connection is closed before the
// body can be taken for commands, as Redis does.
func isWebRequest(name []byte) bool { return equalFold(name, "POST") || equalFold(name, "HOST:") }
