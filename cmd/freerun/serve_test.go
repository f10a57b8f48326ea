package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// serve starts a server on a free port of this machine, and returns the server and its address. The
// test ends the server.
func serve(t *testing.T, flags ...string) (c *exec.Cmd, addr string, errs *bytes.Buffer) {
	t.Helper()
	errs = new(bytes.Buffer)
	c, addr = serveTo(t, errs, flags...)
	return c, addr, errs
}

// serveTo is [serve] with a standard error that the test chooses.
func serveTo(t *testing.T, errs io.Writer, flags ...string) (c *exec.Cmd, addr string) {
	t.Helper()
	c = exec.Command(binary, append([]string{"serve", "--addr", "127.0.0.1:0"}, flags...)...)
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = errs
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if c.ProcessState == nil {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	addr, ok := strings.CutPrefix(strings.TrimSpace(line), "freerun: listening on ")
	if err != nil || !ok {
		t.Fatalf("first line %q (%v), want where it listens; standard error: %v", line, err, errs)
	}
	return c, addr
}

// ask sends a command and returns the first line of the reply.
func ask(t *testing.T, conn net.Conn, command string) string {
	t.Helper()
	if _, err := conn.Write([]byte(command + "\r\n")); err != nil {
		t.Fatal(err)
	}
	answer, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(answer)
}

// TestServeDrains holds a connection open while the signal arrives. The server must still end, with
// status 0.
func TestServeDrains(t *testing.T) {
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		c, addr, errs := serve(t, "--shards", "3", "--processors", "2")
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if answer := ask(t, conn, "PING"); answer != "+PONG" {
			t.Errorf("PING is answered by %q, want +PONG", answer)
		}
		if answer := ask(t, conn, "INCRBY counter 42"); answer != ":42" {
			t.Errorf("INCRBY is answered by %q, want :42", answer)
		}
		if err := c.Process.Signal(signal); err != nil {
			t.Fatal(err)
		}
		if err := c.Wait(); err != nil {
			t.Errorf("after %v: %v, want exit status 0; standard error: %s", signal, err, errs)
		}
		if !strings.Contains(errs.String(), "ending") {
			t.Errorf("after %v standard error does not say that it is ending: %q", signal, errs)
		}
		if conn, err := net.Dial("tcp", addr); err == nil {
			conn.Close()
			t.Errorf("after %v a process still listens on %s", signal, addr)
		}
	}
}

// watchdog kills a command that does not end by itself, so that a test fails instead of hanging. It
// decides nothing else.
func watchdog(t *testing.T, c *exec.Cmd) {
	dog := time.AfterFunc(2*time.Minute, func() { _ = c.Process.Kill() })
	t.Cleanup(func() { dog.Stop() })
}

// TestServeEndsAtASecondSignal has a client that reads none of its replies, for which the server
// waits.
func TestServeEndsAtASecondSignal(t *testing.T) {
	errs, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer errs.Close()
	c, addr := serveTo(t, theirs, "--grace", "1h")
	theirs.Close()
	watchdog(t, c)
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const long = 1 << 20
	if answer := ask(t, conn, fmt.Sprintf("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$%d\r\n%s", long, strings.Repeat("v", long))); answer != "+OK" {
		t.Fatalf("SET is answered by %q, want +OK", answer)
	}
	if _, err := conn.Write([]byte(strings.Repeat("GET k\r\n", 60))); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Read(make([]byte, 1)); err != nil { // the first of 60 long replies has begun
		t.Fatal(err)
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for said := bufio.NewScanner(errs); ; {
		if !said.Scan() {
			t.Fatalf("the server ended without a second signal: %v", c.Wait())
		}
		if strings.Contains(said.Text(), "a second signal ends at once") {
			break
		}
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = c.Wait()
	if how := c.ProcessState.String(); how != "signal: terminated" {
		t.Errorf("the server ended with %q, want the second signal to end it", how)
	}
}

func TestServeAddressInUse(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	out, errs, status := freerun(t, "serve", "--addr", listener.Addr().String())
	if status != 1 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "address already in use") {
		t.Errorf("exit status %d, wrote %q and %q; want 1 and one line that says why", status, out, errs)
	}
}

// TestServeInLittleMemory fills a server that may take a megabyte, off the heap. Old keys are
// evicted, and the server ends with status 0.
func TestServeInLittleMemory(t *testing.T) {
	c, addr, errs := serve(t, "--values", "offheap", "--maxmemory", "1mb", "--maxmemory-policy", "allkeys-lru")
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	value := strings.Repeat("v", 1000)
	for i := range 2000 {
		if answer := ask(t, conn, fmt.Sprintf("SET key%d %s", i, value)); answer != "+OK" {
			t.Fatalf("SET %d is answered by %q, want +OK", i, answer)
		}
	}
	for request, want := range map[string]string{"GET key1999": "$1000", "GET key0": "$-1"} {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		if answer := ask(t, conn, request); answer != want {
			t.Errorf("%s is answered by %q, want %s", request, answer, want)
		}
		conn.Close()
	}
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Errorf("%v, want exit status 0; standard error: %s", err, errs)
	}
}

// TestServeSaysWhoIsServed: without a password, at an address that other machines can reach, the
// server says which clients it serves. With a password, clients must authenticate.
func TestServeSaysWhoIsServed(t *testing.T) {
	for _, test := range []struct {
		flags string
		says  string
		get   string
	}{
		{"--addr 127.0.0.1:0", "", "$-1"},
		{"--addr 0.0.0.0:0", "protected mode: without a password only this machine is served", "$-1"},
		{"--addr [::]:0 --protected-mode no", "protected mode is off and there is no password", "$-1"},
		{"--addr 0.0.0.0:0 --requirepass secret", "", "-NOAUTH Authentication required."},
	} {
		c, addr, errs := serve(t, strings.Fields(test.flags)...)
		_, port, _ := net.SplitHostPort(addr)
		conn, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err != nil {
			t.Fatal(err)
		}
		if got := ask(t, conn, "GET a"); got != test.get {
			t.Errorf("%s: GET is answered by %q, want %q", test.flags, got, test.get)
		}
		if test.get != "$-1" {
			if got := ask(t, conn, "AUTH secret"); got != "+OK" {
				t.Errorf("%s: AUTH is answered by %q", test.flags, got)
			}
		}
		conn.Close()
		if err := c.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		if err := c.Wait(); err != nil {
			t.Error(err)
		}
		if said := errs.String(); !strings.Contains(said, test.says) || test.says == "" && strings.Contains(said, "password") {
			t.Errorf("%s: standard error is %q", test.flags, said)
		}
	}
}
