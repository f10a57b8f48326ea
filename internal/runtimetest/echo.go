package runtimetest

import (
	"io"
	"net"
	"testing"
)

// EchoServer returns a connection to a goroutine that sends back all that it receives. Both end
// with the test.
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
		// The wrappers keep io.Copy from the kernel's short cut (splice).
		_, _ = io.Copy(struct{ io.Writer }{conn}, struct{ io.Reader }{conn})
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
