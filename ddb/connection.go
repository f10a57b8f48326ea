package ddb

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// connection serves one client in an ordinary goroutine of its own, which may wait.
type connection struct {
	// Immutable.
	server *Server
	net    net.Conn
	socket socket // of net
	id     uint64
	since  time.Time

	// Owned by the goroutine.
	in     input
	framer framer
	out    output
	local  writer // replies that the connection itself makes
	slots  []slot // the replies of the batch, in order
	// By shard, the group that takes its next task; nil if there is none yet.
	groups     []*group
	arena      [][]byte // the arguments of the batch
	batch      *batch
	usedShards []int      // shards that have or had a group in this batch
	outbox     []*message // messages of the batch, in the order of sending
	freeGroups []*group   // groups without tasks

	multishard       *message // the multishard message that is being made
	lastMultishard   *message // the last one, if more commands may join it
	multishardGroups []*group // by shard, the groups of multishard
	answered         int      // how many slots are answered
	refused          bool     // the runtime has refused a command of the batch
	queue            queue    // between MULTI and EXEC
	watches          watches
	authenticated    bool // it gave the password, or needed none
	quit             bool
	endsBatch        bool // the batch ends with this request
	lost             bool // the runtime will not return the messages

	fanOutCommand *command // the command whose parts are being made

	now      time.Time // a moment ago
	executed bool      // a batch was executed at now, after the last read
	drained  int       // reads since the server began to drain

	kept      int64 // bytes of its groups
	arguments int64 // bytes of arguments outside arena
	measured  int64 // total of the last measure

	// Read by other goroutines, for CLIENT LIST and for the limit on the memory of clients.
	memory  clientMemory
	evicted atomic.Bool  // closed by the limit on the memory of clients
	active  atomic.Int64 // Unix seconds of the last batch
	last    atomic.Pointer[command]
	multi   atomic.Int64 // commands queued since MULTI, -1 without it
	mu      sync.Mutex
	name    string
}

func newConnection(s *Server, id uint64, conn net.Conn) *connection {
	c := &connection{
		server: s, net: conn, socket: newSocket(conn), id: id, since: time.Now(),
		framer: framer{
			maxArguments: s.config.MaxArguments, maxBulk: s.config.MaxBulk, maxRequest: s.config.MaxRequest,
		},
		in:     input{limit: s.config.MaxRequest + maxLine},
		groups: make([]*group, len(s.units)),
		memory: clientMemory{all: &s.clientMemory},
	}
	c.batch = &batch{done: make(chan struct{}, 2), halts: make([]bool, len(s.units)), replyMemory: replyMemory{client: &c.memory}}
	c.authenticated = s.password.Load() == nil
	c.now = c.since
	c.active.Store(c.since.Unix())
	c.multi.Store(-1)
	c.out = output{conn: conn, socket: c.socket, timeout: s.config.WriteTimeout, sent: &s.stats.output, memory: &c.memory}
	c.limitReplies()
	c.measured = clientOverhead
	c.memory.add(c.measured)
	return c
}

// errRefused ends a connection whose commands the runtime refuses.
var errRefused = errors.New("ddb: the runtime is closed")

// serve runs until the client leaves, breaks the protocol or asks to quit, or until the server ends
// the connection.
func (c *connection) serve() error {
	for {
		if c.evicted.Load() {
			return errEvicted
		}
		broken := c.collect()
		if len(c.slots) > 0 {
			if err := c.execute(); err != nil {
				return err
			}
		}
		if broken != nil {
			return c.reject(broken)
		}
		if c.quit {
			return c.out.flush()
		}
		if c.in.again {
			continue
		}
		if err := c.out.flush(); err != nil {
			return err
		}
		if err := c.receive(); err != nil {
			return err
		}
	}
}

// collect takes the whole requests that have been received and routes them, up to the limits of a
// batch.
func (c *connection) collect() (broken error) {
	c.in.again = false
	for !c.quit {
		if len(c.slots) == maxBatch || c.endsBatch || len(c.local.buf) > flushAt {
			c.in.again = true
			return nil
		}
		c.framer.unauthenticated = c.needsAuth()
		kind, size, err := c.framer.frame(c.in.unread())
		if err != nil {
			return err
		}
		if kind == incomplete {
			return nil
		}
		request := c.in.take(size)
		if kind == empty {
			continue
		}
		args, err := arguments(kind, request, c.spare())
		if err != nil {
			return err
		}
		if len(args) <= cap(c.arena)-len(c.arena) {
			c.arena = c.arena[:len(c.arena)+len(args)]
		} else {
			c.arguments += int64(cap(args)) * argumentOverhead
		}
		if len(args) > 0 {
			c.route(args[:len(args):len(args)])
		}
	}
	return nil
}

// spare returns the spare room of the arena, which suffices for most requests; a request with more
// arguments gets an array of its own. After a new arena is made, earlier requests keep the old one
// alive.
func (c *connection) spare() [][]byte {
	if cap(c.arena)-len(c.arena) < usualArguments {
		c.arena = make([][]byte, 0, min(max(64, 2*cap(c.arena)), maxBatch*usualArguments))
	}
	return c.arena[len(c.arena):]
}

// usualArguments is a number of arguments that most requests do not exceed.
const usualArguments = 8

// receive waits for more bytes from the client.
func (c *connection) receive() error {
	if !c.executed {
		c.now = time.Now()
	}
	c.executed = false
	before := len(c.in.buf)
	room := c.in.room(c.framer.exact())
	if len(c.in.buf) != before {
		c.measure()
	}
	n, err := c.read(room)
	for n == 0 && errors.Is(err, os.ErrDeadlineExceeded) && c.rests() {
		n, err = c.read(c.in.room(c.framer.exact()))
	}
	c.in.received(n)
	c.server.stats.input.Add(uint64(n))
	if err != nil && (errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, net.ErrClosed)) {
		return io.EOF // idle for too long, or shutdown
	}
	return err
}

func (c *connection) read(b []byte) (int, error) {
	c.in.deadline(c.net, c.server.config.IdleTimeout, c.server.rest, c.keepsMuch(), c.now)
	// Shutdown stores draining first and then sets the deadlines of all connections. So whichever
	// of the two comes last here, the deadline is the one for draining.
	if c.server.draining.Load() {
		if c.drained == drainReads {
			return 0, errDrained
		}
		c.drained++
		c.net.SetReadDeadline(time.Now().Add(drainTime))
	}
	return c.socket.read(b)
}

// rests reports whether a read ended because the client is silent, and then gives its buffers back.
func (c *connection) rests() bool {
	c.now = time.Now()
	if c.server.draining.Load() || c.in.restAt.IsZero() || c.now.Before(c.in.restAt) {
		return false
	}
	if !c.in.idleAt.IsZero() && !c.now.Before(c.in.idleAt) {
		return false
	}
	c.giveBack()
	return true
}

// errDrained ends a connection that still sends after it has had its share of a shutdown.
var errDrained = errors.New("ddb: server is shutting down")

// reject answers a request that breaks the protocol and ends the connection.
func (c *connection) reject(broken error) error {
	c.server.stats.broken.Add(1)
	c.local.fail(broken.Error())
	c.out.bytes(c.local.buf)
	if err := c.out.flush(); err != nil {
		return err
	}
	c.linger()
	return broken
}

// linger briefly reads what the client still sends. Closing with unread bytes would reset the
// connection, and could take the last replies with it.
func (c *connection) linger() {
	if half, ok := c.net.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		c.net.SetReadDeadline(time.Now().Add(lingerTime))
		io.CopyN(io.Discard, c.net, lingerBytes)
	}
}

const (
	lingerTime  = 250 * time.Millisecond
	lingerBytes = 1 << 20
)

// clientName is the name that CLIENT SETNAME set.
func (c *connection) clientName() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.name
}

func (c *connection) setClientName(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.name = name
}
