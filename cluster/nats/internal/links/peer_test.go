package links

import (
	"net"
	"testing"
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
