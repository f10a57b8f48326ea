package ddb

import (
	"net"
	"time"
)

const (
	smallBuffer = 16 << 10 // the least buffer of a connection
	minimumRead = 2 << 10
)

// input holds the bytes that a connection has received and not yet executed. Its buffer grows with
// what arrives, never with what is announced, and geometrically: n bytes cost O(n) copies, however
// they come. It shrinks when recent batches left most of it empty, and when the client is silent.
// Owned by the connection's goroutine; the zero value is ready.
type input struct {
	buf        []byte
	start, end int  // buf[start:end] is unread
	again      bool // whole requests may be left in it
	// The buffer grows to at most limit bytes and room for one more read; 0 for no limit.
	limit int

	// The most bytes in the buffer during the last uses; see review.
	peak, uses int

	// Bytes received since idleAt was last set. A whole request sets it to progressMade.
	progress int
	// When a silent client is disconnected; zero for never.
	idleAt time.Time
	// When a silent client's buffers are given back; zero if there is nothing to give back.
	restAt time.Time
	setAt  time.Time // the connection's read deadline: the earlier of the two
}

// progressMade is how much of an unfinished request must arrive for the client not to be idle.
const progressMade = 16 << 10

func (in *input) unread() []byte { return in.buf[in.start:in.end] }

// take removes size bytes. They stay valid until room is called.
func (in *input) take(size int) []byte {
	b := in.buf[in.start : in.start+size]
	in.start += size
	in.progress = progressMade
	return b
}

// room makes room for more bytes and returns it. Bytes that take returned are invalid then. exact
// is the length of the unfinished request, 0 if it is not known yet.
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

// usesReviewed is after how many uses a buffer may be replaced by a smaller one.
const usesReviewed = 32

// review replaces an empty buffer of which recent uses took less than a quarter.
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

// rest replaces a buffer that is larger than the unread bytes need.
func (in *input) rest() {
	unread := in.unread()
	if size := max(smallBuffer, len(unread)+minimumRead); size < len(in.buf)/2 {
		to := make([]byte, size)
		in.start, in.end, in.buf = 0, copy(to, unread), to
	}
	in.uses, in.peak = 0, 0
}

// received records that n bytes were read into the room.
func (in *input) received(n int) {
	in.end += n
	in.progress += n
}

// makeRoom moves the unread bytes to the front. If they fill more than half of the buffer, they
// move to a larger one: twice as large, or as large as the request if that is less.
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

// restAfter is how long a client must be silent, up to twice as long, until its buffers are given
// back.
const restAfter = 2 * time.Second

// deadline sets the read deadline for an idle or a silent client. A client is idle after timeout,
// or up to a quarter more; also if it sends a request byte by byte. A silent client that has
// buffers to give back gives them back after rest, or up to twice as long. Both are inexact because
// an exact deadline would be set anew for every read. now may be a moment ago.
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
