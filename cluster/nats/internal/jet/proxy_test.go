package jet

import (
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// proxy stands between a machine and a server, and does to what they send what networks do.
type proxy struct {
	listener net.Listener
	target   string
	weather  atomic.Int32
	ended    sync.WaitGroup
	mu       sync.Mutex
	conns    map[net.Conn]bool
	closed   bool
}

// The weathers of a proxy.
const (
	fair   int32 = iota
	stalls       // nothing passes, and comes later
	stallsUp
	stallsDown
	cuts   // connections end, and none begins
	slow   // each part comes late
	halves // of what is sent the second half is lost, with the connection
	weathers
)

func startProxy(t testing.TB, port int) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: l, target: fmt.Sprint("127.0.0.1:", port), conns: map[net.Conn]bool{}}
	p.ended.Go(p.accepts)
	t.Cleanup(p.close)
	return p
}

func (p *proxy) url() string { return "nats://" + p.listener.Addr().String() }

// becomes changes the weather.
func (p *proxy) becomes(weather int32) {
	p.weather.Store(weather)
	if weather == cuts {
		p.cut()
	}
}

// cut ends all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.conns {
		c.Close()
	}
	clear(p.conns)
}

func (p *proxy) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.listener.Close()
	p.becomes(cuts)
	p.ended.Wait()
}

func (p *proxy) accepts() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.target)
		if err != nil || !p.keep(client, server) {
			client.Close()
			if err == nil {
				server.Close()
			}
			continue
		}
		p.ended.Go(func() { p.pass(server, client, stallsUp) })
		p.ended.Go(func() { p.pass(client, server, stallsDown) })
	}
}

// keep notes a connection, unless there is to be none.
func (p *proxy) keep(client, server net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || p.weather.Load() == cuts {
		return false
	}
	p.conns[client], p.conns[server] = true, true
	return true
}

// pass passes on what comes from one side; stalled is the weather in which that stalls.
func (p *proxy) pass(to, from net.Conn, stalled int32) {
	defer to.Close()
	defer from.Close()
	b := make([]byte, 4096)
	for {
		n, err := from.Read(b)
		if err != nil {
			return
		}
		for now := p.weather.Load(); now == stalls || now == stalled; now = p.weather.Load() {
			time.Sleep(2 * time.Millisecond)
		}
		now := p.weather.Load()
		switch now {
		case slow:
			time.Sleep(30 * time.Millisecond)
		case halves:
			n /= 2
		}
		if _, err := to.Write(b[:n]); err != nil || now == halves {
			return
		}
	}
}
