package links

import (
	"context"
	"encoding/binary"
	"net"
	"sync"
	"time"
)

// Sketch:     what is sent is put behind what waits, and a goroutine writes all that waits
//             every so often an empty message asks whether the other side is there, which answers
//             with a byte; the link ends if it does not in time, counted from when the question was
//             written
// Invariants: L1 Messages come in the order in which they were sent, each once, or a suffix of them
//             is lost.
// Checked by: TestMesh…

// link is a connection to a machine, to send.
type link struct {
	conn  net.Conn
	ended func(l *link) // called once

	mu       sync.Mutex
	queue    []byte
	running  bool // a goroutine writes
	closed   bool
	used     bool // something was sent since the last look
	asks     bool // a question has no answer
	question question
}

// question is the last one: it waits to be written, or was, and has no answer, or has one.
type question struct {
	waits   bool
	open    bool
	written time.Time // if it is open
}

const (
	mostQueued = 64 << 20        // bytes that wait
	mostWrite  = 64 << 10        // bytes that are written at once
	lookEvery  = time.Second / 2 // whether the other side is there
	mostSilent = 2 * time.Second // until it is not
	mostIdle   = time.Minute     // that nothing is sent
)

// newLink begins a link. ended is called once it has ended, whatever the reason.
func newLink(conn net.Conn, ended func(l *link)) *link {
	l := &link{conn: conn, ended: ended}
	go l.watch()
	return l
}

// send sends a message, and reports whether it is on its way. Any goroutine may call it; it does
// not wait.
func (l *link) send(message []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || len(l.queue) > 0 && len(l.queue)+len(message) > mostQueued {
		return false
	}
	l.used = true
	l.put(message)
	return true
}

// put puts a message into the queue. The caller holds mu.
func (l *link) put(message []byte) {
	l.queue = append(binary.AppendUvarint(l.queue, uint64(len(message))), message...)
	if !l.running {
		l.running = true
		go l.run()
	}
}

// run writes until nothing waits.
func (l *link) run() {
	var all []byte
	for asks := false; ; {
		l.mu.Lock()
		if asks && l.asks && !l.question.waits { // it is not answered, and so not the next one
			l.question = question{open: true, written: time.Now()}
		}
		before := all[:0]
		all, asks = l.queue, l.question.waits
		l.question.waits = false
		if l.running = len(all) > 0 && !l.closed; !l.running {
			l.mu.Unlock()
			return
		}
		if cap(before) > mostKept {
			before = nil
		}
		l.queue = before
		l.mu.Unlock()
		if l.write(all) != nil {
			l.close()
			return
		}
	}
}

// write writes bytes, as long as some of them leave now and then.
func (l *link) write(b []byte) error {
	for len(b) > 0 {
		n := min(len(b), mostWrite)
		if err := l.conn.SetWriteDeadline(time.Now().Add(mostSilent)); err != nil {
			return err
		}
		if _, err := l.conn.Write(b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// mostKept is how large memory may be that is used again.
const mostKept = 1 << 20

// watch ends the link once the other side does not answer, or nobody needs it.
func (l *link) watch() {
	defer l.close()
	ends := make(chan struct{})
	go func() {
		defer close(ends)
		var b [16]byte
		for {
			if _, err := l.conn.Read(b[:]); err != nil {
				return
			}
			l.answered()
		}
	}()
	looks := time.NewTicker(lookEvery)
	defer looks.Stop()
	for idle := time.Duration(0); ; idle += lookEvery {
		select {
		case <-ends:
			return
		case <-looks.C:
		}
		if idle >= mostIdle && l.rests() {
			return
		}
		used, silent := l.look()
		switch {
		case silent:
			return
		case used:
			idle = 0
		}
	}
}

// answered notes that the other side is there.
func (l *link) answered() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asks, l.question = false, question{}
}

// look asks whether the other side is there, unless a question is open. It reports whether the link
// was used since the last look, and whether an answer is overdue.
func (l *link) look() (used, silent bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	used, l.used = l.used, false
	if !l.asks && !l.closed {
		l.asks, l.question.waits = true, true
		l.put(nil)
	}
	return used, l.question.open && time.Since(l.question.written) > mostSilent
}

// flush waits until the other side has all that was sent before, until the link ends, or until
// ctx does.
func (l *link) flush(ctx context.Context) {
	for range 2 { // a question that is open may have been asked before
		l.look()
		for l.isAsking() && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
	}
}

// isAsking reports whether a question is open.
func (l *link) isAsking() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asks && !l.closed
}

// isClosed reports whether the link has ended.
func (l *link) isClosed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// close ends the link. What it has not written is lost.
func (l *link) close() {
	l.mu.Lock()
	first := !l.closed
	l.closed, l.queue = true, nil
	l.mu.Unlock()
	l.hangsUp(first)
}

// rests ends the link if nothing was sent since the last look, and the other side has all that was
// sent before: so nothing is lost. It reports whether it has ended.
func (l *link) rests() bool {
	l.mu.Lock()
	idle := !l.used && !l.running && !l.asks && !l.closed
	l.closed = l.closed || idle
	ended := l.closed
	l.mu.Unlock()
	if ended {
		l.hangsUp(idle)
	}
	return ended
}

// hangsUp ends the connection of a link that is closed. first: its end has not been told yet.
func (l *link) hangsUp(first bool) {
	_ = l.conn.Close()
	if first {
		l.ended(l)
	}
}
