package ddb

import (
	"bytes"
	"fmt"

	"github.com/tidwall/redcon"
)

// maxLine is the maximal length of an inline command, and of the line that announces a length.
const maxLine = 64 << 10

// protocolError is an error whose text is sent to the client before the connection ends.
type protocolError string

func (e protocolError) Error() string { return "ERR Protocol error: " + string(e) }

// framer finds the end of a request and checks it against the limits. Then redcon.ReadNextCommand
// cuts it into arguments.
//
// It goes before redcon's parser because that parser trusts the announced lengths: it panics on
// lengths such as -2, has no limit, and begins anew with every read, which costs a request of a
// million arguments the square of its length. The framer looks at each announcement once, however
// the request is split over reads.
//
// Owned by one connection. The zero position is the start of a request.
type framer struct {
	maxArguments, maxBulk, maxRequest int

	unauthenticated bool // the client has yet to give the password

	begun bool // the header of an array has been read
	left  int  // arguments whose length was not announced yet
	// Where the next announcement begins; after the last argument, the request's length.
	next int
}

type frameKind uint8

const (
	incomplete frameKind = iota
	array
	inline
	empty // an array without arguments, which has no answer
)

// frame examines the received bytes of a request. It returns the request's length unless the kind
// is incomplete.
func (f *framer) frame(b []byte) (frameKind, int, error) {
	if len(b) == 0 {
		return incomplete, 0, nil
	}
	if !f.begun {
		if b[0] != '*' {
			return frameInline(b)
		}
		n, size, err := announcement(b, "mbulk count")
		switch {
		case size == 0:
			return incomplete, 0, err
		case err != nil, n > int64(f.maxArguments):
			return incomplete, 0, protocolError("invalid multibulk length")
		case n > maxUnauthArguments && f.unauthenticated:
			return incomplete, 0, protocolError("unauthenticated multibulk length")
		case n <= 0:
			return empty, size, nil
		}
		f.begun, f.left, f.next = true, int(n), size
	}
	for f.left > 0 && f.next < len(b) {
		if b[f.next] != '$' {
			return incomplete, 0, protocolError(fmt.Sprintf("expected '$', got '%c'", b[f.next]))
		}
		n, size, err := announcement(b[f.next:], "bulk count")
		switch {
		case size == 0:
			return incomplete, 0, err
		case err != nil, n < 0, n > int64(f.maxBulk):
			return incomplete, 0, protocolError("invalid bulk length")
		case n > maxUnauthBulk && f.unauthenticated:
			return incomplete, 0, protocolError("unauthenticated bulk length")
		case int64(f.next)+int64(size)+n+2 > int64(f.maxRequest):
			return incomplete, 0, protocolError("request exceeds the limit of this server")
		}
		f.next += size + int(n) + 2
		f.left--
	}
	if f.left > 0 || f.next > len(b) {
		return incomplete, 0, nil
	}
	length := f.next
	f.begun, f.next = false, 0
	return array, length, nil
}

// exact returns the length of the unfinished request, or 0 while some of its arguments have not
// been announced.
func (f *framer) exact() int {
	if !f.begun || f.left > 0 {
		return 0
	}
	return f.next
}

// announcement reads a line such as "*3\r\n". It returns the number and the length of the line,
// which is 0 if the line is incomplete.
func announcement(b []byte, what string) (n int64, size int, err error) {
	end := bytes.IndexByte(b[:min(len(b), maxLine)], '\n')
	if end < 0 {
		if len(b) >= maxLine {
			err = protocolError("too big " + what + " string")
		}
		return 0, 0, err
	}
	if b[end-1] != '\r' {
		return 0, end + 1, protocolError("line")
	}
	n, ok := parseInteger(b[1 : end-1])
	if !ok {
		return 0, end + 1, protocolError("number")
	}
	return n, end + 1, nil
}

func frameInline(b []byte) (frameKind, int, error) {
	end := bytes.IndexByte(b[:min(len(b), maxLine)], '\n')
	switch {
	case end >= 0:
		return inline, end + 1, nil
	case len(b) >= maxLine:
		return incomplete, 0, protocolError("too big inline request")
	}
	return incomplete, 0, nil
}

// arguments cuts a whole request into arguments. It appends them to into, whose spare room it may
// use.
func arguments(kind frameKind, request []byte, into [][]byte) ([][]byte, error) {
	if kind == inline && request[0] == '$' {
		// For redcon, '$' begins the native protocol of another server; for Redis, an inline
		// command.
		request = append([]byte(" "), request...)
	}
	complete, args, _, _, err := redcon.ReadNextCommand(request, into)
	switch {
	case err != nil:
		return nil, fmt.Errorf("ERR %w", err)
	case !complete:
		return nil, protocolError("incomplete request")
	}
	return args, nil
}
