package ddb

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os/exec"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestAgainstRedis sends the same requests to a redis-server and to this one, one after another,
// and compares the replies byte by byte: effects, types of replies and the wording of every error.
func TestAgainstRedis(t *testing.T) {
	theirs := dial(t, startRedis(t))
	_, addr := serve(t, Config{Shards: 5})
	ours := dial(t, addr)
	for _, line := range differentialScript(t) {
		args := line
		want, got := theirs.do(args...), ours.do(args...)
		if strings.EqualFold(args[0], "keys") {
			want, got = sortedReply(want), sortedReply(got)
		}
		if strings.EqualFold(args[0], "ttl") && closeTo(got, want) {
			continue // time passes between the two
		}
		if got != want {
			t.Errorf("%q\n ours:  %q\n redis: %q", args, got, want)
		}
	}
}

// TestBrokenFramesAgainstRedis compares the replies to requests that break the protocol.
func TestBrokenFramesAgainstRedis(t *testing.T) {
	theirs := startRedis(t)
	_, ours := serve(t, Config{})
	for _, broken := range []string{
		"*x\r\n", "*01\r\n", "*2147483648\r\n", "*1\r\n+OK\r\n", "*1\r\n \r\n", "*1\r\n$x\r\n", "*1\r\n$-1\r\n",
		"*1\r\n$\r\n", "*1\r\n$01\r\n", "*1\r\n$536870913\r\n", "*1\r\n$99999999999999999999\r\n",
		"get \"a\r\n", "get 'a\r\n", "get \"a\"b\r\n", strings.Repeat("x", maxLine+1), "*" + strings.Repeat("1", maxLine+1),
		"*1\r\n$" + strings.Repeat("1", maxLine+1),
	} {
		var got [2]string
		for i, addr := range []string{ours, theirs} {
			c := dial(t, addr)
			c.send("*0\r\n*-7\r\n\r\n" + broken)
			got[i] = c.reply()
			c.expectEndOrReset()
		}
		if got[0] != got[1] {
			t.Errorf("%.30q\n ours:  %q\n redis: %q", broken, got[0], got[1])
		}
	}
}

// startRedis runs a redis-server for the test, and skips it if there is none.
func startRedis(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("redis-server")
	if err != nil {
		t.Skip("skipped: there is no redis-server on PATH (Debian's package redis-server)")
	}
	for {
		if addr, ok := tryRedis(t, path); ok {
			return addr
		}
	}
}

// tryRedis runs a redis-server on a port that is free. It returns false if another process took the
// port before the server did.
func tryRedis(t testing.TB, path string) (addr string, ok bool) {
	t.Helper()
	port := freePort(t)
	cmd := exec.Command(path, "--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", t.TempDir())
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		cmd.Wait()
	}()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-ended
	})
	addr = "127.0.0.1:" + port
	for end := time.Now().Add(patienceOfTests); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		select {
		case <-ended:
			if !strings.Contains(said.String(), "Address already in use") {
				t.Fatalf("redis-server ended: %s", &said)
			}
			return "", false
		default:
		}
		if redisPid(addr) == cmd.Process.Pid {
			return addr, true
		}
	}
	t.Fatal("redis-server does not answer")
	return "", false
}

// redisPid returns the process that answers at an address, or 0.
func redisPid(addr string) int {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return 0
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(time.Second)) // else it asks again
	if _, err := io.WriteString(conn, "INFO server\r\n"); err != nil {
		return 0
	}
	var raw bytes.Buffer
	if err := readReply(bufio.NewReader(conn), &raw); err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(raw.String(), "\r\nprocess_id:")
	text, _, _ := strings.Cut(rest, "\r\n")
	pid, _ := strconv.Atoi(text)
	return pid
}

func freePort(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)
}

// closeTo reports whether two replies are positive numbers of seconds that differ by at most the
// time of a test.
func closeTo(got, want string) bool {
	a, errA := strconv.Atoi(strings.Trim(got, ":\r\n"))
	b, errB := strconv.Atoi(strings.Trim(want, ":\r\n"))
	return errA == nil && errB == nil && a > 0 && b > 0 && max(a-b, b-a) <= int(patienceOfTests.Seconds())
}

// sortedReply sorts the lines of an array of bulk strings, whose order means nothing.
func sortedReply(reply string) string {
	lines := strings.Split(reply, "\r\n")
	sort.Strings(lines)
	return strings.Join(lines, "\r\n")
}

// differentialScript reads testdata/differential.txt: one request a line, with Go's quoting where a
// word needs it.
func differentialScript(t *testing.T) [][]string {
	t.Helper()
	var script [][]string
	for _, line := range readLines(t, "testdata/differential.txt") {
		words, err := splitWords(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		script = append(script, words)
	}
	return script
}
