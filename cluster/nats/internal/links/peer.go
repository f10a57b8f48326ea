package links

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync/atomic"
	"time"
)

// peer is another machine, to which something is sent.
type peer struct {
	mesh *Mesh
	name string
	link atomic.Pointer[link] // nil while there is none
	// until when no link is asked for: one is on its way, or cannot be made. In nanoseconds.
	until  atomic.Int64
	warned atomic.Bool
}

const (
	pauseAsked   = 2 * time.Second  // an invitation takes
	pauseEnded   = time.Second      // after the end of a link
	pauseRefused = 30 * time.Second // after a connection that cannot be made
)

// send is Mesh.Send.
func (p *peer) send(message []byte) bool {
	if l := p.link.Load(); l != nil && l.send(message) {
		return true
	}
	now, until := time.Now().UnixNano(), p.until.Load()
	if p.link.Load() == nil && now >= until && p.until.CompareAndSwap(until, now+int64(pauseAsked)) {
		p.mesh.post(p.name, p.mesh.notice(true))
	}
	return false
}

// pause has no link asked for during d.
func (p *peer) pause(d time.Duration) { p.until.Store(time.Now().Add(d).UnixNano()) }

// invited connects to the machine, which has said where.
func (p *peer) invited(n notice) {
	p.mesh.mu.Lock()
	defer p.mesh.mu.Unlock()
	if p.mesh.isClosed() || p.link.Load() != nil {
		return
	}
	p.pause(mostHandshake + pauseAsked)
	p.mesh.all.Go(func() { p.connect(n) })
}

func (p *peer) connect(n notice) {
	ctx, cancel := context.WithTimeout(p.mesh.ends, mostHandshake)
	defer cancel()
	d := tls.Dialer{Config: settings(p.mesh.own, func(key fingerprint) bool { return key == n.key })}
	conn, err := d.DialContext(ctx, "tcp", n.address)
	if err == nil {
		err = isTaken(ctx, conn)
	}
	if err != nil {
		p.pause(pauseRefused)
		if !p.mesh.isClosed() && !p.warned.Swap(true) {
			slog.Warn("cluster: there is no connection to another machine; what is sent there goes over the servers", "machine", n.from, "address", n.address, "error", err)
		}
		return
	}
	p.warned.Store(false)
	p.begins(newLink(conn, p.ends))
}

// isTaken asks whether the other side takes a connection, which it closes otherwise: the handshake
// ends here before the other side has looked at the key.
func isTaken(ctx context.Context, conn net.Conn) error {
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	_, err := conn.Write([]byte{0})
	if err == nil {
		_, err = io.ReadFull(conn, make([]byte, 1))
	}
	if !stop() || err != nil {
		_ = conn.Close()
		return fmt.Errorf("links: the other machine does not take the connection: %w", cmp.Or(err, ctx.Err()))
	}
	return nil
}

// begins has a link be used.
func (p *peer) begins(l *link) {
	p.mesh.mu.Lock()
	ok := !p.mesh.isClosed() && p.link.CompareAndSwap(nil, l)
	p.mesh.mu.Unlock()
	switch {
	case !ok:
		l.close()
	case l.isClosed(): // before it was there to be taken away
		p.ends(l)
	}
}

// ends takes a link away that has ended.
func (p *peer) ends(l *link) {
	p.pause(pauseEnded)
	p.link.CompareAndSwap(l, nil)
}
