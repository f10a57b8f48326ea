package ddb

import (
	"cmp"
	"errors"
	"slices"
	"sync/atomic"
	"unsafe"
)

// The memory of clients: buffers for requests and replies, queued transactions, watched keys, and
// replies that wait. The connection counts it once a batch, and when its buffers change. In
// between, shards add what their replies grow by, and the output adds what it puts into its
// backlog.

// clientMemory counts the bytes of one client. Any goroutine may use it. When the sum over all
// clients exceeds the limit, the clients that take the most are disconnected.
type clientMemory struct {
	all   *atomic.Int64 // of all clients
	total atomic.Int64

	// Parts of total, for CLIENT LIST and INFO.
	input, arguments, queued, output atomic.Int64
}

// add may be called on nil, which counts nothing.
func (m *clientMemory) add(n int64) {
	if m != nil && n != 0 {
		m.total.Add(n)
		m.all.Add(n)
	}
}

// end removes the bytes of a client that has gone.
func (m *clientMemory) end() { m.all.Add(-m.total.Swap(0)) }

// set64 stores only a changed value, to spare the readers' cache lines.
func set64(to *atomic.Int64, n int64) {
	if to.Load() != n {
		to.Store(n)
	}
}

const (
	// clientOverhead is roughly what a connection takes without its buffers: its goroutine, and the
	// socket's part in Go.
	clientOverhead = 12 << 10

	// keptAtRest is how much the connection of a silent client may keep beside its queued
	// transaction and its watched keys.
	keptAtRest = clientOverhead + smallBuffer + 4<<10
)

// measure counts what the connection holds between batches. If that has grown, and the memory of
// all clients exceeds its limit, clients are disconnected.
func (c *connection) measure() {
	m := &c.memory
	input := int64(cap(c.in.buf))
	arguments := int64(cap(c.arena))*argumentOverhead + c.arguments
	queued := int64(c.queue.bytes) + c.watches.bytes
	output := int64(cap(c.out.buf)+cap(c.local.buf)) + c.kept
	slots := int64(cap(c.slots)) * int64(unsafe.Sizeof(slot{}))
	total := clientOverhead + input + arguments + queued + output + slots
	if total == c.measured && m.queued.Load() == queued {
		return
	}
	set64(&m.input, input)
	set64(&m.arguments, arguments)
	set64(&m.queued, queued)
	set64(&m.output, output)
	m.add(total - c.measured)
	if total > c.measured {
		c.server.limitClients()
	}
	c.measured = total
}

// keepsMuch reports whether the connection has something to give back when its client is silent.
func (c *connection) keepsMuch() bool {
	return c.measured-int64(c.queue.bytes)-c.watches.bytes > keptAtRest
}

// giveBack frees the buffers that the connection keeps for later batches.
func (c *connection) giveBack() {
	c.in.rest()
	c.arena, c.slots, c.outbox, c.freeGroups, c.multishardGroups = nil, nil, nil, nil, nil
	c.kept, c.local.buf, c.out.buf = 0, nil, nil
	c.measure()
}

// errEvicted ends a connection that was closed because clients took too much memory.
var errEvicted = errors.New("ddb: the memory of clients has reached its limit")

// errOutputLimit ends a connection for which too many bytes of replies wait.
var errOutputLimit = errors.New("ddb: the replies that wait for the client have reached their limit")

// limitClients disconnects the clients that take the most while all together exceed their limit.
func (s *Server) limitClients() {
	limit := s.clientLimit.Load()
	if limit == 0 || s.clientMemory.Load() <= limit || !s.limiting.CompareAndSwap(false, true) {
		return
	}
	defer s.limiting.Store(false)
	largest := s.allConnections()
	slices.SortStableFunc(largest, func(a, b *connection) int { return cmp.Compare(b.memory.total.Load(), a.memory.total.Load()) })
	left := s.clientMemory.Load()
	for _, c := range largest {
		if c.evicted.Load() {
			left -= c.memory.total.Load() // it is giving that back
		}
	}
	for _, c := range largest {
		if left <= limit {
			return
		}
		if c.evicted.Swap(true) {
			continue
		}
		taken := c.memory.total.Load()
		left -= taken
		s.stats.evictedClients.Add(1)
		s.log.Warn("ddb: evicting a client, since clients take more than maxmemory-clients", "client", c.describe(), "bytes", taken, "limit", limit)
		c.net.Close()
	}
}
