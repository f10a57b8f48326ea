package runtimetest

import (
	"io"
	"net"
	"testing"
)

// EchoServer returns a connection to a goroutine that sends back all that it receives. It ends with
// the test.
func EchoServer(t testing.TB) net.Conn {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = io.Copy(struct{ io.Writer }{conn}, struct{ io.Reader }{conn}) // without the kernel's short cut
	}()
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		l.Close()
		<-ended
	})
	return conn
}
