package ddb

import (
	"bytes"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestPassword: before the password, a client can do nothing and gets Redis's errors; afterwards it
// can do everything.
func TestPassword(t *testing.T) {
	_, addr := serve(t, Config{Password: "secret"})
	c := dial(t, addr)
	const noAuth, wrongPass = "-" + errNoAuth + "\r\n", "-" + errWrongPass + "\r\n"
	for _, test := range []struct{ request, want string }{
		{"NOSUCH a", "-ERR unknown command 'NOSUCH', with args beginning with: 'a' \r\n"},
		{"GET", "-ERR wrong number of arguments for 'get' command\r\n"},
		{"GET a", noAuth},
		{"PING", noAuth},
		{"INFO", noAuth},
		{"CONFIG GET requirepass", noAuth},
		{"MGET a b", noAuth},
		{"WATCH a", noAuth},
		{"MULTI", noAuth},
		{"EXEC", "-EXECABORT Transaction discarded because of: NOAUTH Authentication required.\r\n"},
		{"AUTH", "-ERR wrong number of arguments for 'auth' command\r\n"},
		{"AUTH a b c", "-ERR syntax error\r\n"},
		{"AUTH wrong", wrongPass},
		{"AUTH other secret", wrongPass},
		{"AUTH default wrong", wrongPass},
		{"HELLO", "-" + errNoAuthHello + "\r\n"},
		{"HELLO 2 SETNAME me", "-" + errNoAuthHello + "\r\n"},
		{"HELLO 2 AUTH default wrong", wrongPass},
		{"GET a", noAuth},
		{"AUTH secret", "+OK\r\n"},
		{"GET a", "$-1\r\n"},
		{"AUTH wrong", wrongPass},
		{"GET a", "$-1\r\n"},
		{"RESET", "+RESET\r\n"},
		{"GET a", noAuth},
		{"AUTH default secret", "+OK\r\n"},
		{"MULTI", "+OK\r\n"},
		{"AUTH wrong", "+QUEUED\r\n"},
		{"EXEC", "*1\r\n" + wrongPass},
		{"CONFIG GET requirepass", "*2\r\n" + bulk("requirepass") + bulk("secret")},
		{"CONFIG SET requirepass other", "+OK\r\n"},
		{"GET a", "$-1\r\n"}, // this client was authenticated before
		{"RESET", "+RESET\r\n"},
		{"AUTH secret", wrongPass},
	} {
		c.expect(test.want, strings.Fields(test.request)...)
	}
	if got := c.do("HELLO", "2", "AUTH", "default", "other"); !strings.HasPrefix(got, "*14\r\n") {
		t.Errorf("HELLO with AUTH: %q", got)
	}
	c.expect("+OK\r\n", "CONFIG", "SET", "requirepass", "")
	other := dial(t, addr)
	other.expect("+PONG\r\n", "PING")
	other.expect("-"+errNoPassword+"\r\n", "AUTH", "x")
	other.expect("+OK\r\n", "AUTH", "default", "x")
	// A pipeline is authenticated from its AUTH on.
	c.expect("+OK\r\n", "CONFIG", "SET", "requirepass", "again")
	third := dial(t, addr)
	third.send(request("SET", "k", "1") + request("AUTH", "again") + request("SET", "k", strings.Repeat("v", 2*maxUnauthBulk)) + request("STRLEN", "k"))
	for _, want := range []string{noAuth, "+OK\r\n", "+OK\r\n", ":32768\r\n"} {
		if got := third.reply(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestUnauthenticatedRequestsAreShort: a client that has not given the password cannot make the
// server buffer much.
func TestUnauthenticatedRequestsAreShort(t *testing.T) {
	_, addr := serve(t, Config{Password: "secret"})
	for sent, want := range map[string]string{
		"*11\r\n":                        "-ERR Protocol error: unauthenticated multibulk length\r\n",
		"*2\r\n$4\r\nAUTH\r\n$16385\r\n": "-ERR Protocol error: unauthenticated bulk length\r\n",
	} {
		c := dial(t, addr)
		c.send(sent)
		if got := c.reply(); got != want {
			t.Errorf("%q: %q, want %q", sent, got, want)
		}
		c.expectEndOrReset()
	}
}

// remoteConn is a connection with the address of another machine.
type remoteConn struct {
	net.Conn
	from net.Addr
}

func (c remoteConn) RemoteAddr() net.Addr { return c.from }

// arrive has a server accept a client from an address, and returns the client.
func arrive(t *testing.T, s *Server, from string) *client {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	c := dial(t, listener.Addr().String())
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	s.accept(remoteConn{conn, &net.TCPAddr{IP: net.ParseIP(from), Port: 4711}})
	return c
}

// TestProtectedMode: without a password only clients of this machine are served; others get an
// error that says what can be done.
func TestProtectedMode(t *testing.T) {
	s, addr := serve(t, Config{})
	local := dial(t, addr)
	const elsewhere = "192.0.2.1"
	denied := func() {
		t.Helper()
		c := arrive(t, s, elsewhere)
		if got := c.reply(); got != "-"+errProtected+"\r\n" {
			t.Errorf("a client from elsewhere gets %q", got)
		}
		c.expectEnd()
	}
	served := func(from string) {
		t.Helper()
		c := arrive(t, s, from)
		c.expect("+PONG\r\n", "PING")
		c.conn.Close()
	}
	denied()
	for _, from := range []string{"127.0.0.1", "127.0.0.2", "::1", "::ffff:127.0.0.1"} {
		served(from)
	}
	local.expect("*2\r\n"+bulk("protected-mode")+bulk("yes"), "CONFIG", "GET", "protected-mode")
	local.expect("-ERR CONFIG SET failed (possibly related to argument 'protected-mode') - argument must be 'yes' or 'no'\r\n",
		"CONFIG", "SET", "protected-mode", "maybe")
	local.expect("+OK\r\n", "CONFIG", "SET", "protected-mode", "no")
	served(elsewhere)
	local.expect("+OK\r\n", "CONFIG", "SET", "protected-mode", "YES")
	denied()
	local.expect("+OK\r\n", "CONFIG", "SET", "requirepass", "secret")
	c := arrive(t, s, elsewhere)
	c.expect("-"+errNoAuth+"\r\n", "GET", "k")
	c.expect("+OK\r\n", "AUTH", "secret")
	c.expect("$-1\r\n", "GET", "k")
	if got := s.Stats().RejectedClients; got != 2 {
		t.Errorf("%d clients were rejected, want 2", got)
	}

	open, _ := serve(t, Config{Unprotected: true})
	c = arrive(t, open, elsewhere)
	c.expect("+PONG\r\n", "PING")
}

// TestProtectedModeSaysWhatRedisSays compares the text with that in the redis-server program, if
// there is one.
func TestProtectedModeSaysWhatRedisSays(t *testing.T) {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("skipped: there is no redis-server on PATH")
	}
	program, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := bytes.Cut(program, []byte("-DENIED Redis is"))
	text, _, _ = bytes.Cut(text, []byte("\r\n"))
	if got, want := "-"+errProtected, "-DENIED Redis is"+string(text); !found || got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestRedisHasThePassword compares the replies to clients without the password with those of a
// redis-server, if there is one.
func TestRedisHasThePassword(t *testing.T) {
	path, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("skipped: there is no redis-server on PATH")
	}
	socket := t.TempDir() + "/redis"
	redis := exec.Command(path, "--port", "0", "--unixsocket", socket, "--save", "", "--requirepass", "secret")
	if err := redis.Start(); err != nil {
		t.Fatal(err)
	}
	defer redis.Wait()
	defer redis.Process.Kill()
	var theirs net.Conn
	for end := time.Now().Add(patienceOfTests); ; time.Sleep(time.Millisecond) {
		if theirs, err = net.Dial("unix", socket); err == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
	defer theirs.Close()
	_, addr := serve(t, Config{Password: "secret"})
	ours := dial(t, addr)
	// For each request the reply: errors with their texts, and the beginning of replies that carry
	// an identity.
	for _, line := range []string{
		"GET a", "GET", "NOSUCH", "EXEC", "DISCARD", "MULTI", "WATCH a", "PING", "AUTH", "AUTH x", "AUTH a b", "AUTH a b c", "HELLO", "HELLO x", "HELLO 2 AUTH",
		"HELLO 2 AUTH default x", "HELLO 2 AUTH x secret", "HELLO 2 SETNAME n", "CLIENT ID x", "CONFIG GET maxmemory", "RESET", "AUTH default secret", "GET a",
		"AUTH x", "GET a", "MULTI", "AUTH x", "GET a", "EXEC", "RESET", "GET a", "AUTH secret", "CONFIG SET requirepass n", "GET a", "RESET", "GET a", "AUTH secret",
		"AUTH n", "CONFIG SET protected-mode maybe", "CONFIG SET protected-mode no", "CONFIG GET protected-mode", "CONFIG SET requirepass ''", "RESET", "GET a", "AUTH x", "AUTH default x",
		"CONFIG SET client-output-buffer-limit 'normal x 0 0'", "CONFIG SET client-output-buffer-limit normal", "CONFIG SET client-output-buffer-limit 'odd 0 0 0'",
	} {
		ours.send(line + "\r\n")
		want := make([]byte, 4096)
		if _, err := io.WriteString(theirs, line+"\r\n"); err != nil {
			t.Fatal(err)
		}
		theirs.SetReadDeadline(time.Now().Add(patienceOfTests))
		n, err := theirs.Read(want)
		if err != nil {
			t.Fatal(err)
		}
		if got := ours.reply(); got != string(want[:n]) {
			t.Errorf("%s: %q, Redis says %q", line, got, want[:n])
		}
	}
}
