package links

import (
	"bufio"
	"crypto/tls"
	"encoding/binary"
	"io"
	"net"
	"time"
)

// accept takes connections until the mesh is closed.
func (m *Mesh) accept() {
	for {
		conn, err := m.listener.Accept()
		if err != nil {
			if m.isClosed() {
				return
			}
			time.Sleep(10 * time.Millisecond) // there are too many open files, say
			continue
		}
		if !m.keeps(conn) {
			_ = conn.Close()
			return
		}
		if m.strangers.Add(1) > mostStrangers {
			m.strangers.Add(-1)
			m.drops(conn)
			continue
		}
		m.all.Go(func() {
			defer m.drops(conn)
			if safe := m.meets(conn); safe != nil {
				m.serve(safe)
			}
		})
	}
}

// meets returns the connection with a machine that is known; nil for any other.
func (m *Mesh) meets(conn net.Conn) *tls.Conn {
	defer m.strangers.Add(-1)
	safe := tls.Server(conn, m.incoming)
	_ = safe.SetDeadline(time.Now().Add(mostHandshake))
	if safe.Handshake() != nil {
		return nil
	}
	_ = safe.SetDeadline(time.Time{})
	return safe
}

// serve receives what comes by a connection.
func (m *Mesh) serve(safe *tls.Conn) {
	r := bufio.NewReaderSize(patient{safe}, 64<<10)
	for {
		size, err := binary.ReadUvarint(r)
		if err != nil || size > mostMessage {
			return
		}
		if size == 0 { // is somebody there?
			_ = safe.SetWriteDeadline(time.Now().Add(mostSilent))
			if _, err := safe.Write([]byte{0}); err != nil {
				return
			}
			continue
		}
		message := make([]byte, size)
		if _, err := io.ReadFull(r, message); err != nil {
			return
		}
		m.receive(message)
	}
}

// patient is a connection that waits for a while for each piece, however long a message takes.
type patient struct{ net.Conn }

// Read implements [io.Reader].
func (p patient) Read(b []byte) (int, error) {
	if err := p.SetReadDeadline(time.Now().Add(mostUnasked)); err != nil {
		return 0, err
	}
	return p.Conn.Read(b)
}

const (
	// mostStrangers is how many connections may have shown no key yet: those of strangers take no
	// more of the files that a process may have.
	mostStrangers = 256
	mostUnasked   = 4 * lookEvery // the other side is silent, or has none to ask
	mostHandshake = 5 * time.Second
	mostMessage   = 64 << 20 // as NATS has it at most
)
