package links

import (
	"crypto/tls"
	"encoding/binary"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// counted counts how often it is given more time.
type counted struct {
	net.Conn
	deadlines atomic.Int64
}

func (c *counted) SetReadDeadline(at time.Time) error {
	c.deadlines.Add(1)
	return c.Conn.SetReadDeadline(at)
}

// TestMeshLong holds that a message may take long, as long as something of it comes now and then.
func TestMeshLong(t *testing.T) {
	t.Parallel()
	var p post
	came := make(chan int, 1)
	b := p.join(t, "b", func(m []byte) { came <- len(m) })
	own, key, err := newIdentity()
	if err != nil {
		t.Fatal(err)
	}
	b.learn(key)
	near, far := net.Pipe()
	of := &counted{Conn: far}
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() {
		if safe := b.meets(of); safe != nil {
			b.serve(safe)
		}
	})
	defer near.Close()
	conn := tls.Client(near, &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{own}})
	const pieces, piece = 8, 64 << 10
	if _, err := conn.Write(binary.AppendUvarint(nil, pieces*piece)); err != nil {
		t.Fatal(err)
	}
	before := of.deadlines.Load()
	for range pieces {
		if _, err := conn.Write(make([]byte, piece)); err != nil {
			t.Fatal(err)
		}
	}
	if n := <-came; n != pieces*piece {
		t.Errorf("a message of %d bytes has come, want %d", n, pieces*piece)
	}
	if more := of.deadlines.Load() - before; more < pieces {
		t.Errorf("it was given more time %d times for %d pieces", more, pieces)
	}
}
