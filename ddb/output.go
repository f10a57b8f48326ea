package ddb

import (
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// flushAt is how many bytes of replies are collected before a write.
	flushAt = 64 << 10

	// patience is the shortest time after which a stalled write continues in a second goroutine.
	// The longest is twice that, as the deadline is renewed at most once per patience.
	patience = 200 * time.Millisecond

	// standardBacklog bounds the bytes of replies that wait for a client which does not read,
	// including those of the current batch.
	standardBacklog = 64 << 20
)

// output writes the replies of a connection.
//
// A client may send a long pipeline and begin to read only after it has sent all. If the server
// stopped reading while its replies cannot be written, both would wait for each other. So a write
// that stalls for patience, or up to twice that, continues in a second goroutine, with a backlog of
// at most limit and one reply. Beyond that the connection does wait. A client that takes nothing
// for timeout is disconnected.
//
// The connection's goroutine owns it, except the fields under mu.
type output struct {
	conn    net.Conn
	socket  socket // of conn
	timeout time.Duration
	limit   int   // if more waits, the connection waits
	most    int64 // if more waits, the client is disconnected; 0 for no limit
	sent    *atomic.Uint64
	memory  *clientMemory

	buf       []byte
	err       error
	refreshed time.Time // when the write deadline was last set

	mu      sync.Mutex
	changed *sync.Cond
	backlog [][]byte
	waiting int   // bytes in backlog
	running bool  // the second goroutine runs
	failed  error // why the output ended; see fail
	writers sync.WaitGroup
}

// bytes adds a short piece of a reply and copies it.
func (o *output) bytes(b []byte) {
	o.buf = append(o.buf, b...)
	if len(o.buf) >= flushAt {
		o.flush()
	}
}

// text is bytes for a string.
func (o *output) text(s string) {
	o.buf = append(o.buf, s...)
	if len(o.buf) >= flushAt {
		o.flush()
	}
}

// long adds a piece of a reply, and what ends it. A long piece is written from its place, together
// with what was collected before it. reused says that the caller will overwrite the piece.
func (o *output) long(b, end []byte, reused bool) {
	if len(b) < flushAt {
		o.bytes(b)
		o.bytes(end)
		return
	}
	o.write(pieces{o.buf, b, end}, reused)
	o.written()
}

// flush writes the collected replies. It returns the first error of this connection's output.
func (o *output) flush() error {
	if len(o.buf) > 0 {
		o.write(pieces{o.buf}, true)
		o.written()
	}
	return o.err
}

// written empties the buffer.
func (o *output) written() {
	o.buf = o.buf[:0]
	if cap(o.buf) > 2*flushAt {
		o.buf = nil
	}
}

// write sends the pieces, or hands them to the second goroutine. The first one is buf; reused says
// that the caller will overwrite the second one.
func (o *output) write(p pieces, reused bool) {
	if o.err != nil {
		return
	}
	if o.changed != nil && o.hand(p, reused) {
		return
	}
	if now := time.Now(); now.Sub(o.refreshed) > patience {
		o.conn.SetWriteDeadline(now.Add(2 * patience))
		o.refreshed = now
	}
	n, err := o.socket.write(p)
	o.sent.Add(uint64(n))
	if err != nil && errors.Is(err, os.ErrDeadlineExceeded) {
		err = o.begin(p.after(n), reused)
	}
	o.err = err
}

// begin starts the second goroutine with the rest of a write. The error says why the output has
// failed.
func (o *output) begin(rest pieces, reused bool) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.changed == nil {
		o.changed = sync.NewCond(&o.mu)
	}
	o.addAll(rest, reused)
	if o.failed == nil {
		o.running = true
		o.writers.Go(o.drain)
	}
	return o.failed
}

// hand passes the pieces to the second goroutine if that is running.
func (o *output) hand(p pieces, reused bool) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.running && o.waiting > o.limit {
		o.changed.Wait()
	}
	if o.failed == nil && o.running {
		o.addAll(p, reused)
		o.changed.Broadcast()
	}
	o.err = o.failed
	return o.running || o.failed != nil
}

// addAll adds the pieces of a write. The caller holds mu.
func (o *output) addAll(p pieces, reused bool) {
	for i, b := range p {
		if len(b) > 0 && o.failed == nil {
			o.add(b, i == 0 || reused && i == 1)
		}
	}
}

// add gives b to the second goroutine, or fails the output if too much waits. The caller holds mu.
func (o *output) add(b []byte, reused bool) {
	if o.most > 0 && int64(o.waiting)+int64(len(b)) > o.most {
		o.fail(errOutputLimit)
		return
	}
	if reused {
		b = append([]byte(nil), b...)
	}
	o.backlog = append(o.backlog, b)
	o.waiting += len(b)
	o.memory.add(int64(len(b)))
}

// fail ends the output and closes the connection, whose goroutine might wait for a request that
// never comes. The first reason stays, because later ones follow from it. The caller holds mu.
func (o *output) fail(err error) {
	if o.failed == nil {
		o.failed = err
		o.conn.Close()
	}
}

// failure returns why the output has failed, or nil. Only the connection's goroutine calls it.
func (o *output) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failed != nil {
		return o.failed
	}
	return o.err
}

// backlogged returns how many bytes wait for the client. Any goroutine may call it.
func (o *output) backlogged() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return int64(o.waiting)
}

// drain is the second goroutine. It ends when the backlog is written, or when the client takes
// nothing for too long.
func (o *output) drain() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.backlog) > 0 && o.failed == nil {
		b := o.backlog[0]
		o.mu.Unlock()
		err := o.writeSlowly(b)
		o.mu.Lock()
		o.backlog[0] = nil
		o.backlog, o.waiting = o.backlog[1:], o.waiting-len(b)
		o.memory.add(-int64(len(b)))
		if err != nil {
			o.fail(err)
		}
		o.changed.Broadcast()
	}
	if o.failed != nil {
		o.memory.add(-int64(o.waiting))
		o.backlog, o.waiting = nil, 0
	}
	o.running = false
	o.changed.Broadcast()
}

// writeSlowly writes b in portions. The client must take each within the timeout.
func (o *output) writeSlowly(b []byte) error {
	for len(b) > 0 {
		portion := b[:min(len(b), flushAt)]
		o.conn.SetWriteDeadline(time.Now().Add(o.timeout))
		n, err := o.conn.Write(portion)
		o.sent.Add(uint64(n))
		if err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// close waits until the second goroutine has written everything or failed. Then the connection may
// be closed.
func (o *output) close() error {
	o.writers.Wait()
	return o.failure()
}
