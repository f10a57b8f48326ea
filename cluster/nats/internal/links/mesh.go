package links

import (
	"context"
	"crypto/tls"
	"fmt"
	"maps"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Mesh has the links of a machine. Any goroutine may call its methods; none waits but [New] and
// [Mesh.Close].
type Mesh struct {
	name     string
	address  string
	post     func(to string, notice []byte)
	receive  func(message []byte)
	listener net.Listener
	own      tls.Certificate
	key      fingerprint
	incoming *tls.Config

	peers sync.Map // name → *peer
	all   sync.WaitGroup
	ends  context.Context // once it is closed
	end   func()

	strangers atomic.Int64 // connections that have shown no key yet

	mu    sync.Mutex
	conns map[net.Conn]struct{} // that have come
	// known has the keys with which machines may connect, and since when.
	known map[fingerprint]time.Time
}

// Settings are those of a mesh.
type Settings struct {
	Name   string // of the machine
	Listen string // host:port for the connections of others; port 0 for any that is free
	Host   string // by which others reach it, if Listen names none
	// Post sends a notice to a machine over the servers. Receive is called with what machines send:
	// by one goroutine for each, with messages that it may keep. Neither may wait.
	Post    func(to string, notice []byte)
	Receive func(message []byte)
}

// New begins a mesh. The error is that of listening.
func New(s Settings) (*Mesh, error) {
	own, key, err := newIdentity()
	if err != nil {
		return nil, fmt.Errorf("links: making a key: %w", err)
	}
	listener, err := net.Listen("tcp", s.Listen)
	if err != nil {
		return nil, fmt.Errorf("links: listening for other machines: %w", err)
	}
	m := &Mesh{name: s.Name, post: s.Post, receive: s.Receive, listener: listener, own: own, key: key, conns: map[net.Conn]struct{}{}, known: map[fingerprint]time.Time{}}
	m.ends, m.end = context.WithCancel(context.Background())
	m.address = reachable(listener.Addr().(*net.TCPAddr), s.Host)
	m.incoming = settings(own, m.knows)
	m.all.Go(m.accept)
	return m, nil
}

// reachable returns the address by which other machines reach a listener.
func reachable(at *net.TCPAddr, host string) string {
	if at.IP.IsUnspecified() && host != "" {
		return net.JoinHostPort(host, fmt.Sprint(at.Port))
	}
	return at.String()
}

// Send sends a message to a machine by its link, and reports whether it is on its way. If not, it
// has to go over the servers, and a link may be there later. It does not keep message.
func (m *Mesh) Send(to string, message []byte) bool {
	p, found := m.peers.Load(to)
	if !found {
		m.forget()
		p, _ = m.peers.LoadOrStore(to, &peer{mesh: m, name: to})
	}
	return p.(*peer).send(message)
}

// forget forgets machines that nothing was sent to for a while: they come and go.
func (m *Mesh) forget() {
	long := time.Now().Add(-mostIdle).UnixNano()
	m.peers.Range(func(name, p any) bool {
		if p := p.(*peer); p.link.Load() == nil && p.until.Load() < long {
			m.peers.CompareAndDelete(name, p)
		}
		return true
	})
}

// Hear takes a notice that has come over the servers.
func (m *Mesh) Hear(b []byte) {
	n, err := decodeNotice(b)
	if err != nil || n.from == m.name || m.isClosed() {
		return
	}
	if n.asks {
		m.learn(n.key)
		m.post(n.from, m.notice(false))
		return
	}
	if p, found := m.peers.Load(n.from); found {
		p.(*peer).invited(n)
	}
}

// mostKnown is how long a machine may take to connect once it has asked.
const mostKnown = time.Minute

// learn has a key be known for a while.
func (m *Mesh) learn(key fingerprint) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	maps.DeleteFunc(m.known, func(_ fingerprint, since time.Time) bool { return now.Sub(since) > mostKnown })
	m.known[key] = now
}

// knows reports whether a machine with a key may connect.
func (m *Mesh) knows(key fingerprint) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	since, known := m.known[key]
	return known && time.Since(since) <= mostKnown
}

func (m *Mesh) notice(asks bool) []byte {
	return notice{asks: asks, from: m.name, address: m.address, key: m.key}.encode()
}

// Close ends all links once what was sent by them has come, if that is soon, and waits for what is
// received.
func (m *Mesh) Close() {
	m.flush()
	m.mu.Lock()
	m.end() // no connection is kept any more
	for conn := range m.conns {
		_ = conn.Close()
	}
	m.mu.Unlock()
	_ = m.listener.Close()
	m.each((*link).close)
	m.all.Wait()
}

// mostFlush is how long Close waits for what was sent.
const mostFlush = time.Second

// flush waits until what was sent has come.
func (m *Mesh) flush() {
	ctx, cancel := context.WithTimeout(context.Background(), mostFlush)
	defer cancel()
	var all sync.WaitGroup
	m.each(func(l *link) { all.Go(func() { l.flush(ctx) }) })
	all.Wait()
}

// each calls fn with all links.
func (m *Mesh) each(fn func(l *link)) {
	m.peers.Range(func(_, p any) bool {
		if l := p.(*peer).link.Load(); l != nil {
			fn(l)
		}
		return true
	})
}

func (m *Mesh) isClosed() bool { return m.ends.Err() != nil }

// keeps notes a connection that has come, and reports whether it may stay.
func (m *Mesh) keeps(conn net.Conn) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.isClosed() {
		return false
	}
	m.conns[conn] = struct{}{}
	return true
}

// drops ends a connection that has come.
func (m *Mesh) drops(conn net.Conn) {
	_ = conn.Close()
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.conns, conn)
}
