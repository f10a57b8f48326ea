package ddb

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patienceOfTests is how long a test waits before it fails; no test succeeds by it.
const patienceOfTests = 30 * time.Second

// serve starts a server, which the end of the test shuts down.
func serve(t testing.TB, config Config) (*Server, string) {
	t.Helper()
	if config.Logger == nil {
		config.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	s, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	addr, err := s.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve() }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patienceOfTests)
		defer cancel()
		// The test may have called Close.
		if err := s.Shutdown(ctx); err != nil && !errors.Is(err, context.Canceled) {
			t.Errorf("Shutdown: %v", err)
		}
		// The test may have ended before Serve began.
		if err := <-served; err != nil && !errors.Is(err, ErrClosed) {
			t.Errorf("Serve: %v", err)
		}
	})
	return s, addr.String()
}

// client speaks the protocol byte by byte, so that a test can break it.
type client struct {
	t    testing.TB
	conn net.Conn
	in   *bufio.Reader
}

func dial(t testing.TB, addr string) *client {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(patienceOfTests))
	return &client{t, conn, bufio.NewReader(conn)}
}

func (c *client) send(raw string) {
	c.t.Helper()
	if _, err := io.WriteString(c.conn, raw); err != nil {
		c.t.Fatalf("sending: %v", err)
	}
}

// reply reads one reply as it is on the wire.
func (c *client) reply() string {
	c.t.Helper()
	c.conn.SetDeadline(time.Now().Add(patienceOfTests)) // a deadline for each reply
	var raw bytes.Buffer
	if err := readReply(c.in, &raw); err != nil {
		c.t.Fatalf("reading a reply: %v (after %d bytes that begin with %.100q)", err, raw.Len(), raw.String())
	}
	return raw.String()
}

func (c *client) do(args ...string) string {
	c.t.Helper()
	c.send(request(args...))
	return c.reply()
}

func (c *client) expect(want string, args ...string) {
	c.t.Helper()
	if got := c.do(args...); got != want {
		c.t.Errorf("%q: %q, want %q", args, got, want)
	}
}

// expectEnd checks that the server closes the connection, without another byte.
func (c *client) expectEnd() {
	c.t.Helper()
	if rest, err := io.ReadAll(c.in); err != nil || len(rest) > 0 {
		c.t.Errorf("got %q and %v, want the end of the connection", rest, err)
	}
}

// request encodes a command.
func request(args ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "*%d\r\n", len(args))
	for _, arg := range args {
		fmt.Fprintf(&b, "$%d\r\n%s\r\n", len(arg), arg)
	}
	return b.String()
}

func readReply(in *bufio.Reader, raw *bytes.Buffer) error {
	line, err := in.ReadString('\n')
	raw.WriteString(line)
	if err != nil {
		return err
	}
	n, _ := strconv.Atoi(strings.TrimSpace(line[1:]))
	switch line[0] {
	case '$':
		if n >= 0 {
			_, err = io.CopyN(raw, in, int64(n)+2)
		}
	case '*':
		for ; n > 0 && err == nil; n-- {
			err = readReply(in, raw)
		}
	case '+', '-', ':':
	default:
		err = fmt.Errorf("%q is no reply", line)
	}
	return err
}

func bulk(s string) string { return fmt.Sprintf("$%d\r\n%s\r\n", len(s), s) }
