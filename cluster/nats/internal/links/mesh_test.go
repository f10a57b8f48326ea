package links

import (
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// post carries notices between the meshes of a test, as servers do.
type post struct {
	mu     sync.Mutex
	meshes map[string]*Mesh
	turns  func(n *notice) // what a bad server does with notices; nil for nothing
}

func (p *post) carry(to string, b []byte) {
	n, err := decodeNotice(b)
	if err != nil {
		panic(err)
	}
	go func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.turns != nil {
			p.turns(&n)
		}
		if m := p.meshes[to]; m != nil {
			m.Hear(n.encode())
		}
	}()
}

// join makes a mesh.
func (p *post) join(t *testing.T, name string, receive func(b []byte)) *Mesh {
	t.Helper()
	m, err := New(Settings{Name: name, Listen: "127.0.0.1:0", Post: p.carry, Receive: receive})
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.meshes == nil {
		p.meshes = map[string]*Mesh{}
	}
	p.meshes[name] = m
	t.Cleanup(m.Close)
	return m
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it does not come: %s", what)
		}
	}
}

// linked has a mesh have a link to a machine.
func linked(t *testing.T, m *Mesh, to string) {
	t.Helper()
	eventually(t, "a link to "+to, func() bool { return m.Send(to, []byte("first")) })
}

// TestMesh holds that what several goroutines send each other comes once, and in the order of each.
func TestMesh(t *testing.T) {
	t.Parallel()
	const senders, each = 4, 5000
	var p post
	meshes := map[string]*Mesh{}
	got := map[string]*[senders][]uint32{"a": {}, "b": {}}
	var came atomic.Int64
	for name, of := range got {
		meshes[name] = p.join(t, name, func(b []byte) {
			if string(b) != "first" {
				of[b[0]] = append(of[b[0]], binary.BigEndian.Uint32(b[1:]))
				came.Add(1)
			}
		})
	}
	var all sync.WaitGroup
	for from, to := range map[string]string{"a": "b", "b": "a"} {
		linked(t, meshes[from], to)
		for s := range senders {
			all.Go(func() {
				for n := range each {
					size := n % 100
					if n == each/2 {
						size = 3 << 20
					}
					b := make([]byte, 5+size)
					b[0] = byte(s)
					binary.BigEndian.PutUint32(b[1:], uint32(n))
					if !meshes[from].Send(to, b) {
						t.Errorf("from %s: message %d does not leave", from, n)
					}
				}
			})
		}
	}
	all.Wait()
	eventually(t, "all messages", func() bool { return came.Load() == 2*senders*each })
	for _, m := range meshes {
		m.Close()
	}
	for name, of := range got {
		for s, numbers := range of {
			if len(numbers) != each || !slices.IsSorted(numbers) {
				t.Errorf("%s has %d messages of sender %d, sorted: %v", name, len(numbers), s, slices.IsSorted(numbers))
			}
		}
	}
}

// TestMeshStrangers holds that nothing is received from who has no key that the servers have
// carried, and that nothing is sent to who has another key than the machine.
func TestMeshStrangers(t *testing.T) {
	t.Parallel()
	var p post
	var came atomic.Int64
	b := p.join(t, "b", func([]byte) { came.Add(1) })
	own, _, err := newIdentity()
	if err != nil {
		t.Fatal(err)
	}
	for name, certificates := range map[string][]tls.Certificate{"without a key": nil, "with a key": {own}} {
		conn, err := tls.Dial("tcp", b.address, &tls.Config{InsecureSkipVerify: true, Certificates: certificates})
		if err != nil {
			continue
		}
		_, _ = conn.Write([]byte{5, 'h', 'e', 'l', 'l', 'o'})
		_ = conn.SetReadDeadline(time.Now().Add(time.Minute))
		if _, err := conn.Read(make([]byte, 1)); err == nil {
			t.Errorf("a stranger %s gets an answer", name)
		}
		_ = conn.Close()
	}
	plain, err := net.Dial("tcp", b.address)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = plain.Write([]byte{5, 'h', 'e', 'l', 'l', 'o'})
	if _, err := io.ReadAll(plain); err != nil && came.Load() > 0 {
		t.Error(err)
	}

	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{own}})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	heard := make(chan error, 8)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, err = conn.Read(make([]byte, 1))
			_ = conn.Close()
			heard <- err
		}
	}()
	p.turns = func(n *notice) { n.address = listener.Addr().String() }
	a := p.join(t, "a", func([]byte) {})
	if a.Send("b", []byte("secret")) {
		t.Error("there is a link at once")
	}
	if err := <-heard; err == nil {
		t.Error("a machine in the middle is sent something")
	}
	if a.Send("b", []byte("secret")) || came.Load() > 0 {
		t.Errorf("there is a link through a machine in the middle; %d messages of strangers were received", came.Load())
	}
}

// TestMeshCrowd holds that those who connect and say nothing take a bounded number of files, and
// that a link goes on meanwhile.
func TestMeshCrowd(t *testing.T) {
	t.Parallel()
	var p post
	var came atomic.Int64
	b := p.join(t, "b", func([]byte) { came.Add(1) })
	a := p.join(t, "a", func([]byte) {})
	linked(t, a, "b")
	const crowd = 2 * mostStrangers
	refused := make(chan bool, crowd)
	for range crowd {
		conn, err := net.Dial("tcp", b.address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		go func() {
			_, err := conn.Read(make([]byte, 1))
			refused <- err != nil
		}()
	}
	for range crowd - mostStrangers {
		if !<-refused {
			t.Error("a stranger gets an answer")
		}
		b.mu.Lock()
		if n := len(b.conns); n > mostStrangers+2 { // the link, and one that is about to be refused
			t.Errorf("there are %d connections", n)
		}
		b.mu.Unlock()
	}
	before := came.Load()
	eventually(t, "a message", func() bool { a.Send("b", []byte("x")); return came.Load() > before })
}

// TestMeshHole holds that Close ends a connection that is being made, before that fails.
func TestMeshHole(t *testing.T) {
	t.Parallel()
	var p post
	hole, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer hole.Close()
	p.turns = func(n *notice) { n.address = hole.Addr().String() }
	p.join(t, "b", func([]byte) {})
	a := p.join(t, "a", func([]byte) {})
	a.Send("b", []byte("x"))
	conn, err := hole.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	a.Close()
	if b, _ := a.peers.Load("b"); b.(*peer).warned.Load() {
		t.Error("it waits until the connection has failed")
	}
}

// TestMeshSilent holds that a link ends whose other side does not answer, and that there is another
// one once it does.
func TestMeshSilent(t *testing.T) {
	t.Parallel()
	var p post
	var came atomic.Int64
	b := p.join(t, "b", func([]byte) { came.Add(1) })
	between := newProxy(t, b.address)
	p.turns = func(n *notice) { n.address = between.listener.Addr().String() }
	a := p.join(t, "a", func([]byte) {})
	for range 2 {
		linked(t, a, "b")
		before := came.Load()
		eventually(t, "a message", func() bool { return came.Load() > before || !a.Send("b", []byte("x")) })
		between.stalls.Store(true)
		eventually(t, "the end of the link", func() bool { return !a.Send("b", []byte("x")) })
		between.stalls.Store(false)
	}
	linked(t, a, "b")
}

// proxy is between two machines.
type proxy struct {
	listener net.Listener
	stalls   atomic.Bool
}

func newProxy(t *testing.T, to string) *proxy {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	p := &proxy{listener: listener}
	go func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				_ = in.Close()
				continue
			}
			go p.copy(in, out)
			go p.copy(out, in)
		}
	}()
	return p
}

func (p *proxy) copy(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	b := make([]byte, 4<<10)
	for {
		n, err := from.Read(b)
		for p.stalls.Load() {
			time.Sleep(time.Millisecond)
		}
		if err != nil {
			return
		}
		if _, err := to.Write(b[:n]); err != nil {
			return
		}
	}
}

// TestMeshAgain holds that a machine which begins anew, under its name, has links again, and that
// Close comes back while others send.
func TestMeshAgain(t *testing.T) {
	t.Parallel()
	var p post
	a := p.join(t, "a", func([]byte) {})
	stop := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
				a.Send("b", fmt.Append(nil, n))
				time.Sleep(10 * time.Microsecond)
			}
		}
	})
	for range 3 {
		var came atomic.Int64
		b := p.join(t, "b", func([]byte) { came.Add(1) })
		eventually(t, "messages", func() bool { return came.Load() > 100 })
		b.Close()
		after := came.Load()
		time.Sleep(5 * time.Millisecond)
		if came.Load() != after {
			t.Error("something was received after Close")
		}
	}
	a.Close()
	if a.Send("b", []byte("x")) {
		t.Error("something is sent after Close")
	}
	close(stop)
	all.Wait()
}

// FuzzNotice holds that what is read of a notice is what it is made of again.
func FuzzNotice(f *testing.F) {
	f.Add(notice{true, "a", "127.0.0.1:1", fingerprint{1}}.encode())
	f.Add([]byte{marker, version, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := decodeNotice(b)
		if err != nil {
			return
		}
		if again, err := decodeNotice(n.encode()); err != nil || again != n || !IsNotice(b) {
			t.Errorf("%+v is read again as %+v, %v", n, again, err)
		}
	})
}
