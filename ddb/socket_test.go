package ddb

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"testing"
	"time"
)

// tcpPair returns both ends of a TCP connection on this machine.
func tcpPair(t *testing.T) (here, there *net.TCPConn) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	dialed, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	here, there = accepted.(*net.TCPConn), dialed.(*net.TCPConn)
	t.Cleanup(func() { here.Close(); there.Close() })
	return here, there
}

// TestSocketWritesAllPieces: pieces of all lengths, also empty ones, come in order and as they
// were, though the socket takes only a part of them at a time.
func TestSocketWritesAllPieces(t *testing.T) {
	here, there := tcpPair(t)
	here.SetWriteBuffer(8 << 10)
	there.SetReadBuffer(8 << 10)
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	var all []pieces
	var want []byte
	for range 60 {
		var p pieces
		for i := range p {
			p[i] = make([]byte, []int{0, 1, 2, 5000, 50_000}[random.IntN(5)])
			for j := range p[i] {
				p[i][j] = byte(random.Uint32())
			}
			want = append(want, p[i]...)
		}
		all = append(all, p)
	}
	written := make(chan error, 1)
	go func() {
		s := newSocket(here)
		for _, p := range all {
			length := len(p[0]) + len(p[1]) + len(p[2])
			if n, err := s.write(p); err != nil || n != length {
				written <- errors.Join(err, io.ErrShortWrite)
				return
			}
		}
		written <- here.CloseWrite()
	}()
	s := newSocket(there)
	var got []byte
	for buf := make([]byte, 30_000); ; {
		n, err := s.read(buf[:1+random.IntN(len(buf)-1)])
		got = append(got, buf[:n]...)
		if err == io.EOF {
			break
		}
		if err != nil || n == 0 {
			t.Fatalf("seed %d: after %d bytes: %d, %v", seed, len(got), n, err)
		}
	}
	if err := <-written; err != nil {
		t.Errorf("seed %d: %v", seed, err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("seed %d: %d bytes came, not the %d that were written", seed, len(got), len(want))
	}
}

// TestSocketDeadlines: a read ends at its deadline, and the next one has what came since. A write
// ends at its deadline with as many bytes as the client gets.
func TestSocketDeadlines(t *testing.T) {
	here, there := tcpPair(t)
	s := newSocket(here)
	here.SetReadDeadline(time.Now().Add(10 * time.Millisecond))
	buf := make([]byte, 100)
	if n, err := s.read(buf); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("%d, %v", n, err)
	}
	here.SetReadDeadline(time.Time{})
	there.Write([]byte("request"))
	if n, err := s.read(buf); err != nil || string(buf[:n]) != "request" {
		t.Fatalf("%q, %v", buf[:n], err)
	}

	long := bytes.Repeat([]byte("0123456789"), 2<<20)
	here.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	p := pieces{[]byte("head"), long, []byte("end")}
	n, err := s.write(p)
	if n == 0 || n >= len(long) || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("%d, %v", n, err)
	}
	here.Close()
	got, err := io.ReadAll(there)
	if err != nil || len(got) != n {
		t.Errorf("%d bytes came of %d: %v", len(got), n, err)
	}
	rest := p.after(n)
	if whole := append(append(append(got, rest[0]...), rest[1]...), rest[2]...); !bytes.Equal(whole, append(append([]byte("head"), long...), "end"...)) {
		t.Errorf("what was written, and what pieces.after says is left, is not what was to be written")
	}
}

// TestSocketEnds: the end of a stream that comes with its last bytes is seen, and so is the end of
// a connection that was closed here or reset there.
func TestSocketEnds(t *testing.T) {
	here, there := tcpPair(t)
	s := newSocket(here)
	buf := make([]byte, 100)
	for range 3 {
		there.Write([]byte("request"))
		if n, err := s.read(buf); err != nil || n != 7 {
			t.Fatalf("%d, %v", n, err)
		}
	}
	there.Write([]byte("last"))
	there.CloseWrite()
	for got := 0; got < 4; {
		n, err := s.read(buf)
		if err != nil {
			t.Fatal(err)
		}
		got += n
	}
	if n, err := s.read(buf); n != 0 || err != io.EOF {
		t.Errorf("%d, %v", n, err)
	}
	here.Close()
	if n, err := s.read(buf); n != 0 || !errors.Is(err, net.ErrClosed) {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := s.write(pieces{[]byte("reply")}); n != 0 || !errors.Is(err, net.ErrClosed) {
		t.Errorf("%d, %v", n, err)
	}

	here, there = tcpPair(t)
	s = newSocket(here)
	there.SetLinger(0)
	there.Close() // a reset
	var err error
	for err == nil {
		_, err = s.read(buf)
	}
	if err == io.EOF {
		t.Error("a reset looks like the end of the stream")
	}
	if n, err := s.write(pieces{[]byte("reply")}); n != 0 || err == nil {
		t.Errorf("%d, %v", n, err)
	}
}

// TestSocketAllocatesNothing: reads and writes keep what they need in the socket.
func TestSocketAllocatesNothing(t *testing.T) {
	here, there := tcpPair(t)
	from, to := newSocket(here), newSocket(there)
	request, value, end, buf := []byte("head"), make([]byte, 1000), []byte("\r\n"), make([]byte, 4096)
	allocated := testing.AllocsPerRun(100, func() {
		if _, err := from.write(pieces{request, value, end}); err != nil {
			t.Fatal(err)
		}
		for got := 0; got < 1006; {
			n, err := to.read(buf)
			if err != nil {
				t.Fatal(err)
			}
			got += n
		}
	})
	if allocated > 0 {
		t.Errorf("%v allocations", allocated)
	}
}
