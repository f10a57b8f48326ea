package ddb

import (
	"net"
	"time"
)

const (
	smallBuffer = 16 << 10 // what a connection has at least for its requests
	minimumRead = 2 << 10
)

// input is the bytes that a connection has received and not yet executed. Its buffer grows with what really arrives, never
// with what is announced, and geometrically: n bytes cost O(n) copies, however they come. It shrinks when the last uses left
// most of it empty, and when the client rests. Owned by the connection's goroutine; the zero value is ready.
type input struct {
	buf        []byte
	start, end int  // buf[start:end] is unread
	again      bool // whole requests may be left in it
	limit      int  // the buffer has no more than that, and a read; 0 for no limit

	peak, uses int // the most that was in the buffer in so many uses; see review

	progress int       // bytes received since idleAt was last set; progressMade after a whole request
	idleAt   time.Time // when a client that goes on saying nothing is disconnected; zero for never
	restAt   time.Time // when it rests; zero if it has nothing to give back
	setAt    time.Time // the earlier of the two, as the connection has it
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

// room makes room for more bytes and returns it; what was taken is gone then. exact is the length of the unfinished request,
// and 0 while that is not known.
func (in *input) room(exact int) []byte {
	if in.start == in.end {
		in.review()
		in.start, in.end = 0, 0
	}
	if in.buf == nil {
		in.buf = make([]byte, smallBuffer)
	}
	if len(in.buf)-in.end < minimumRead {
		in.makeRoom(exact)
	}
	return in.buf[in.end:]
}

// usesReviewed is after how many uses a buffer may be found too large.
const usesReviewed = 32

// review drops an empty buffer of which the last uses took less than a quarter.
func (in *input) review() {
	if len(in.buf) <= smallBuffer {
		return
	}
	in.peak = max(in.peak, in.end)
	if in.uses++; in.uses < usesReviewed {
		return
	}
	if in.peak < len(in.buf)/4 {
		in.buf = make([]byte, max(smallBuffer, 2*in.peak))
	}
	in.uses, in.peak = 0, 0
}

// rest drops a buffer that is larger than the unread bytes need.
func (in *input) rest() {
	unread := in.unread()
	if size := max(smallBuffer, len(unread)+minimumRead); size < len(in.buf)/2 {
		to := make([]byte, size)
		in.start, in.end, in.buf = 0, copy(to, unread), to
	}
	in.uses, in.peak = 0, 0
}

// received says that n bytes have been put into the room.
func (in *input) received(n int) {
	in.end += n
	in.progress += n
}

// makeRoom moves the unread bytes to the front, of a larger buffer if they fill more than half of this one: twice as large,
// or as large as the request if that is less.
func (in *input) makeRoom(exact int) {
	unread := in.unread()
	to := in.buf
	if len(unread) > len(in.buf)/2 {
		size := 2 * len(in.buf)
		if in.limit > 0 {
			size = max(min(size, in.limit), len(unread)) + minimumRead
		}
		if need := exact + minimumRead; exact > len(unread) {
			size = min(size, max(need, len(in.buf)))
		}
		if size > len(in.buf) {
			to = make([]byte, size)
		}
	}
	in.end = copy(to, unread)
	in.start, in.buf = 0, to
}

// restAfter is how long a client must say nothing, or up to twice as long, until its buffers are given back.
const restAfter = 2 * time.Second

// deadline makes a read fail when the client has been idle for timeout, or up to a quarter longer, or has rested, if it has
// something to give back: neither is worth setting anew for every read. A client that sends a request byte by byte is idle too.
// now may be a moment ago.
func (in *input) deadline(conn net.Conn, timeout, rest time.Duration, gives bool, now time.Time) {
	if timeout > 0 && (in.progress >= progressMade || in.idleAt.IsZero()) {
		now = time.Now()
		if slack := timeout / 4; in.idleAt.Sub(now) < timeout {
			in.idleAt, in.progress = now.Add(timeout+slack), 0
		}
	}
	switch {
	case !gives:
		in.restAt = time.Time{}
	case in.restAt.Sub(now) < rest:
		in.restAt = now.Add(2 * rest)
	}
	at := in.idleAt
	if !in.restAt.IsZero() && (at.IsZero() || in.restAt.Before(at)) {
		at = in.restAt
	}
	if at != in.setAt {
		conn.SetReadDeadline(at)
		in.setAt = at
	}
}
