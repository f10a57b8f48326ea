//go:build linux

package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// kind is a server to measure: Redis, or a binary of freerun.
type kind struct {
	name   string
	binary string // "" for redis-server
	flags  []string
}

// server is one that runs.
type server struct {
	command *exec.Cmd
	addr    string
	port    string
}

// start starts a server and waits until it answers.
func start(k kind) (*server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	s := &server{addr: "127.0.0.1:" + port, port: port}
	if k.binary == "" {
		s.command = exec.Command("redis-server", "--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no")
	} else {
		s.command = exec.Command(k.binary, append([]string{"serve", "--addr", s.addr}, k.flags...)...)
	}
	s.command.Dir = os.TempDir()
	if err := s.command.Start(); err != nil {
		return nil, err
	}
	for range 100 {
		time.Sleep(50 * time.Millisecond)
		if conn, err := net.Dial("tcp", s.addr); err == nil {
			conn.Close()
			return s, nil
		}
	}
	return nil, errors.Join(fmt.Errorf("%s does not listen", k.name), s.end())
}

// freePort returns a port that was free a moment ago.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, err
}

func (s *server) end() error {
	if err := s.command.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return s.command.Wait()
}

// processorTime returns what all threads of the server have used.
func (s *server) processorTime() (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.command.Process.Pid))
	if err != nil {
		return 0, err
	}
	// The name may have spaces. The state is the first field behind it, utime and stime the 12th
	// and the 13th, in hundredths of a second.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc has %q", text)
	}
	user, err := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond, errors.Join(err, err2)
}

// resident returns the bytes of memory that the server has.
func (s *server) resident() (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", s.command.Process.Pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text))
	pages, err := strconv.ParseFloat(fields[1], 64)
	return pages * float64(os.Getpagesize()), err
}

// fill sets all keys that redis-benchmark may ask for, to values of size bytes.
func fill(addr string, keys, size int) error {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	defer conn.Close()
	const batch = 100
	replies := bufio.NewReader(conn)
	value := bytes.Repeat([]byte("x"), size)
	for first := 0; first < keys; first += batch {
		var b []byte
		n := min(batch, keys-first)
		for i := range n {
			b = fmt.Appendf(b, "*3\r\n$3\r\nSET\r\n$16\r\nkey:%012d\r\n$%d\r\n%s\r\n", first+i, size, value)
		}
		if _, err := conn.Write(b); err != nil {
			return err
		}
		for range n {
			if line, err := replies.ReadString('\n'); err != nil || line != "+OK\r\n" {
				return fmt.Errorf("SET was answered by %q: %w", line, errors.Join(err, io.ErrUnexpectedEOF))
			}
		}
	}
	return nil
}

// memoryOf returns how many resident bytes a key takes, once the server has given back what is
// free.
func memoryOf(k kind, keys, size int) (bytes float64, err error) {
	s, err := start(k)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, s.end()) }()
	before, err := s.resident()
	if err != nil {
		return 0, err
	}
	if err := fill(s.addr, keys, size); err != nil {
		return 0, err
	}
	for range 2 {
		if out, err := exec.Command("redis-cli", "-p", s.port, "memory", "purge").CombinedOutput(); err != nil {
			return 0, fmt.Errorf("redis-cli: %w: %s", err, out)
		}
	}
	after, err := s.resident()
	return (after - before) / float64(keys), err
}
