package ddb

import "net"

// socket reads and writes the bytes of a connection. One goroutine at a time may read, and one may
// write.
type socket struct {
	conn net.Conn
	raw  *rawSocket // nil: through conn
}

func newSocket(conn net.Conn) socket { return socket{conn: conn, raw: newRawSocket(conn)} }

// read is net.Conn's Read.
func (s socket) read(b []byte) (int, error) {
	if s.raw != nil {
		return s.raw.read(b)
	}
	return s.conn.Read(b)
}

// write writes all pieces one after another. It returns how many bytes it wrote; after fewer than
// all there is an error.
func (s socket) write(pieces pieces) (n int, err error) {
	if s.raw != nil {
		return s.raw.write(pieces)
	}
	for _, b := range pieces {
		if len(b) == 0 {
			continue
		}
		wrote, err := s.conn.Write(b)
		n += wrote
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// pieces are written together: what was collected, a long value, and its line end. Each may be
// empty.
type pieces [3][]byte

// after returns the pieces without the first n bytes.
func (p pieces) after(n int) pieces {
	for i, b := range p {
		gone := min(n, len(b))
		p[i] = b[gone:]
		n -= gone
	}
	return p
}
