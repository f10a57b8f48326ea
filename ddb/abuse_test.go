package ddb

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// TestBrokenFrames: a client that breaks the protocol gets the replies to its sound requests, then
// an error and the end of its connection. Another connection notices nothing.
func TestBrokenFrames(t *testing.T) {
	_, addr := serve(t, Config{})
	other := dial(t, addr)
	other.expect("+OK\r\n", "set", "k", "v")
	for _, test := range []struct{ broken, want string }{
		{"*1\r\n$536870913\r\n", "invalid bulk length"},
		{"*1\r\n$-2\r\nxx\r\n", "invalid bulk length"},
		{"*1\r\n$99999999999999999999\r\n", "invalid bulk length"},
		{"*2147483648\r\n", "invalid multibulk length"},
		{"*1048577\r\n", "invalid multibulk length"},
		{"*x\r\n", "invalid multibulk length"},
		{"*1\r\n+OK\r\n", "expected '$', got '+'"},
		{"*1\r\n$3\r\nabcdef", "invalid bulk length"},
		{"*3\r\n$1000000\r\n", ""},
		{"get \"k\r\n", "unbalanced quotes in request"},
		{strings.Repeat("x", maxLine+1), "too big inline request"},
		{"*" + strings.Repeat("1", maxLine+1), "too big mbulk count string"},
		{"*1\r\n$" + strings.Repeat("1", maxLine+1), "too big bulk count string"},
	} {
		c := dial(t, addr)
		c.send(request("get", "k") + request("ping") + test.broken)
		if got := c.reply() + c.reply(); got != bulk("v")+"+PONG\r\n" {
			t.Errorf("%.30q: the requests before it got %q", test.broken, got)
		}
		if test.want == "" { // an unfinished request has no reply
			c.conn.Close()
			continue
		}
		if got, want := c.reply(), "-ERR Protocol error: "+test.want+"\r\n"; got != want {
			t.Errorf("%.30q: %q, want %q", test.broken, got, want)
		}
		c.expectEnd()
		other.expect(bulk("v"), "get", "k")
	}
}

func TestInlineCommands(t *testing.T) {
	_, addr := serve(t, Config{})
	c := dial(t, addr)
	for _, test := range []struct{ line, want string }{
		{"PING\r\n", "+PONG\r\n"},
		{"ping\n", "+PONG\r\n"},
		{"\r\n\r\n  set  k  \"a b\\n\"\r\n", "+OK\r\n"},
		{"get k\r\n", bulk("a b\n")},
		{"echo 'x y'\r\n", bulk("x y")},
		{"$5 a\r\n", "-ERR unknown command '$5', with args beginning with: 'a' \r\n"},
		{"get\r\n", "-ERR wrong number of arguments for 'get' command\r\n"},
		{"*0\r\n*-1\r\nPING\r\n", "+PONG\r\n"},
	} {
		c.send(test.line)
		if got := c.reply(); got != test.want {
			t.Errorf("%q: %q, want %q", test.line, got, test.want)
		}
	}
}

// TestWebRequest: a request that a web page makes a browser send is not executed.
func TestWebRequest(t *testing.T) {
	_, addr := serve(t, Config{})
	for _, web := range []string{"POST / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\n"} {
		c := dial(t, addr)
		c.send(web + "\r\nset k v\r\n")
		c.expectEndOrReset()
	}
	dial(t, addr).expect("$-1\r\n", "get", "k")
}

// TestManyArguments: a request may have a million arguments.
func TestManyArguments(t *testing.T) {
	_, addr := serve(t, Config{Shards: 4})
	c := dial(t, addr)
	const n = 1_000_000
	go func() {
		var b strings.Builder
		fmt.Fprintf(&b, "*%d\r\n$4\r\nmset\r\n", 2*(n/2)+1)
		for i := range n / 2 {
			fmt.Fprintf(&b, "$7\r\n%07d\r\n$1\r\nv\r\n", i)
		}
		fmt.Fprintf(&b, "*%d\r\n$3\r\ndel\r\n", n+1)
		for i := range n {
			fmt.Fprintf(&b, "$7\r\n%07d\r\n", i)
		}
		c.send(b.String() + request("dbsize"))
	}()
	if got, want := c.reply()+c.reply()+c.reply(), fmt.Sprintf("+OK\r\n:%d\r\n:0\r\n", n/2); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLargeValue goes through every buffer that grows, and back.
func TestLargeValue(t *testing.T) {
	_, addr := serve(t, Config{})
	c := dial(t, addr)
	value := strings.Repeat("0123456789abcdef", 1<<18)
	go c.send(request("set", "k", value) + strings.Repeat(request("get", "k"), 3) + request("mget", "k", "none") +
		request("echo", value) + request("ping"))
	for _, want := range []string{
		"+OK\r\n", bulk(value), bulk(value), bulk(value), "*2\r\n" + bulk(value) + "$-1\r\n", bulk(value), "+PONG\r\n",
	} {
		if got := c.reply(); got != want {
			t.Fatalf("got %d bytes, want %d, or others", len(got), len(want))
		}
	}
}

// TestIdleTimeout: a silent client, and a client that dribbles its request, are disconnected. A
// client that works is not.
func TestIdleTimeout(t *testing.T) {
	// The busy client rests for 20 ms. The machine may stand still for the rest of the limit.
	_, addr := serve(t, Config{IdleTimeout: 3 * time.Second})
	silent, slow, busy := dial(t, addr), dial(t, addr), dial(t, addr)
	ended := make(chan error, 2)
	for _, c := range []*client{silent, slow} {
		go func() {
			_, err := io.Copy(io.Discard, c.in)
			ended <- err
		}()
	}
	slow.send("*2\r\n$3\r\nget\r\n$10000\r\n")
	for left := 2; left > 0; {
		select {
		case err := <-ended:
			left--
			if timeout, ok := err.(net.Error); ok && timeout.Timeout() {
				t.Fatal("an idle connection stays open")
			}
		case <-time.After(20 * time.Millisecond):
			io.WriteString(slow.conn, "x")
			busy.expect("+PONG\r\n", "ping")
		}
	}
}

// TestClientThatNeverReads: for a client that never reads, the waiting replies are bounded, other
// clients are served, and the server can be shut down.
func TestClientThatNeverReads(t *testing.T) {
	s, addr := serve(t, Config{WriteTimeout: time.Second})
	other := dial(t, addr)
	other.expect("+OK\r\n", "set", "k", strings.Repeat("v", 100_000))
	deaf := dial(t, addr)
	left := make(chan struct{})
	go func() {
		defer close(left)
		for { // gigabytes of replies, until the server stops reading
			if _, err := io.WriteString(deaf.conn, strings.Repeat(request("get", "k"), 1000)); err != nil {
				return
			}
		}
	}()
	<-left
	for len(s.allConnections()) > 1 {
		time.Sleep(time.Millisecond)
	}
	other.expect("+PONG\r\n", "ping")
}

// TestReadAfterEverythingIsSent: a client may send a pipeline whose replies exceed what the network
// holds, and read only afterwards.
func TestReadAfterEverythingIsSent(t *testing.T) {
	_, addr := serve(t, Config{})
	c := dial(t, addr)
	value := strings.Repeat("v", 2000)
	c.expect("+OK\r\n", "set", "k", value)
	const n = 10_000
	filler := request("echo", strings.Repeat("f", 1000))
	for range n {
		c.send(request("get", "k") + filler)
	}
	for i := range n {
		if got := c.reply(); got != bulk(value) {
			t.Fatalf("reply %d: %.50q", i, got)
		}
		c.reply()
	}
	c.expect("+PONG\r\n", "ping")
}

// TestReadAfterQuit is the same with replies that lie in the read buffer, and with a connection
// that the server could close before the client has taken all of them.
func TestReadAfterQuit(t *testing.T) {
	_, addr := serve(t, Config{})
	c := dial(t, addr)
	const n = 300
	echo := func(i int) string { return strings.Repeat(fmt.Sprintf("%05d", i), 2*flushAt/5) }
	for i := range n {
		c.send(request("echo", echo(i)))
	}
	c.send(request("quit"))
	for i := range n {
		if got := c.reply(); got != bulk(echo(i)) {
			t.Fatalf("reply %d: %d bytes, %.50q", i, len(got), got)
		}
	}
	if got := c.reply(); got != "+OK\r\n" {
		t.Errorf("QUIT: %q", got)
	}
	c.expectEnd()
}

func TestMaxClients(t *testing.T) {
	_, addr := serve(t, Config{MaxClients: 2})
	one, two := dial(t, addr), dial(t, addr)
	one.expect("+PONG\r\n", "ping")
	two.expect("+PONG\r\n", "ping")
	three := dial(t, addr)
	if got := three.reply(); got != "-ERR max number of clients reached\r\n" {
		t.Errorf("%q", got)
	}
	three.expectEnd()
	one.conn.Close()
	for { // until its place becomes free
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		conn.SetDeadline(time.Now().Add(patienceOfTests))
		io.WriteString(conn, "PING\r\n")
		answer := make([]byte, 5)
		io.ReadFull(conn, answer)
		conn.Close()
		if string(answer) == "+PONG" {
			return
		}
	}
}
