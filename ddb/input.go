package ddb

import (
	"net"
	"time"
)

const (
	smallBuffer = 16 << 10 // what a connection has at least for its requests
	minimumRead = 2 << 10
)

// input is the bytes that a connection has received and not yet executed. It grows with what really arrives, never with
// what is announced. Owned by the connection's goroutine; the zero value is ready.
type input struct {
	buf        []byte
	start, end int  // buf[start:end] is unread
	again      bool // whole requests may be left in it

	progress  int       // bytes received since the read deadline was last set; progressMade after a whole request
	refreshed time.Time // when the read deadline was last set
}

// progressMade is how much of an unfinished request must arrive for the client not to be idle.
const progressMade = 16 << 10

func (in *input) unread() []byte { return in.buf[in.start:in.end] }

// take removes size bytes; they stay where they are until room is called.
func (in *input) take(size int) []byte {
	b := in.buf[in.start : in.start+size]
	in.start += size
	in.progress = progressMade
	return b
}

// room makes room for more bytes and returns it; what was taken is gone then. wanted is the length that the unfinished
// request will have at least.
func (in *input) room(wanted int) []byte {
	if in.start == in.end {
		in.start, in.end = 0, 0
		if cap(in.buf) > keptBuffer {
			in.buf = nil
		}
	}
	if in.buf == nil {
		in.buf = make([]byte, smallBuffer)
	}
	if len(in.buf)-in.end < minimumRead {
		in.makeRoom(wanted)
	}
	return in.buf[in.end:]
}

// received says that n bytes have been put into the room.
func (in *input) received(n int) {
	in.end += n
	in.progress += n
}

// makeRoom moves the unread bytes to the front, of a larger buffer if they fill more than half of this one: at most
// twice as large, and no larger than the request needs if that is known.
func (in *input) makeRoom(wanted int) {
	unread := in.unread()
	to := in.buf
	if len(unread) > len(in.buf)/2 {
		size := 2 * len(in.buf)
		if need := wanted + minimumRead; need > len(unread)+minimumRead && need < size {
			size = max(need, len(in.buf))
		}
		if size > len(in.buf) {
			to = make([]byte, size)
		}
	}
	in.end = copy(to, unread)
	in.start, in.buf = 0, to
}

// deadline makes a read fail when the client has been idle for timeout, or up to a quarter longer: it is not worth
// setting anew for every read. A client that sends a request byte by byte is idle too.
func (in *input) deadline(conn net.Conn, timeout time.Duration) {
	if timeout <= 0 || (in.progress < progressMade && !in.refreshed.IsZero()) {
		return
	}
	now := time.Now()
	if slack := timeout / 4; now.Sub(in.refreshed) > slack {
		conn.SetReadDeadline(now.Add(timeout + slack))
		in.refreshed, in.progress = now, 0
	}
}
