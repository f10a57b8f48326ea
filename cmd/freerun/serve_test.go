package main

import (
	"bufio"
	"bytes"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// serve starts a server on a free port of this machine and returns it with its address. The test ends it.
func serve(t *testing.T, flags ...string) (c *exec.Cmd, addr string, errs *bytes.Buffer) {
	t.Helper()
	c = exec.Command(binary, append([]string{"serve", "--addr", "127.0.0.1:0"}, flags...)...)
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errs = new(bytes.Buffer)
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
		t.Fatalf("first line %q (%v), want where it listens; standard error: %s", line, err, errs)
	}
	return c, addr, errs
}

// ask sends a command and returns the first line of the answer.
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

// TestServeDrains holds a connection open while the signal comes: the server must still end, and well.
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
			t.Errorf("after %v somebody still listens on %s", signal, addr)
		}
	}
}

func TestServeWhereSomebodyListens(t *testing.T) {
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
