package links

import (
	"net"
	"sync/atomic"
	"testing"
	"time"
)

// TestMeshConnectsNoMore holds that a mesh which was closed does not wait for a connection: Close
// waits for those that are about to be made.
func TestMeshConnectsNoMore(t *testing.T) {
	t.Parallel()
	var p post
	a := p.join(t, "a", func([]byte) {})
	a.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	(&peer{mesh: a, name: "b"}).connect(notice{from: "b", address: listener.Addr().String()})
	own, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close()
	first, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	if first.RemoteAddr().String() != own.LocalAddr().String() {
		t.Error("it has connected")
	}
}

// TestMeshNotTaken holds that there is no link to a machine that does not know the key: what would
// be sent by it would be lost.
func TestMeshNotTaken(t *testing.T) {
	t.Parallel()
	var p post
	var came atomic.Int64
	p.join(t, "b", func([]byte) { came.Add(1) })
	p.turns = func(n *notice) {
		if n.from == "a" {
			n.key = fingerprint{} // b learns another one
		}
	}
	a := p.join(t, "a", func([]byte) {})
	for end := time.Now().Add(500 * time.Millisecond); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if a.Send("b", []byte("secret")) {
			t.Fatal("there is a link")
		}
	}
	other, found := a.peers.Load("b")
	if !found {
		t.Fatal("a has not asked for a link")
	}
	eventually(t, "the connection is refused", other.(*peer).warned.Load)
	if n := came.Load(); n > 0 {
		t.Errorf("%d messages have come from a machine whose key is not known", n)
	}
}
