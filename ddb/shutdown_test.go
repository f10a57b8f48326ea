package ddb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
)

// TestShutdownAnswersWhatWasReceived: commands that arrived before the shutdown are executed and
// answered; then the connections end.
func TestShutdownAnswersWhatWasReceived(t *testing.T) {
	s, addr := serve(t, Config{Shards: 1, Processors: 1})
	const n = 5000
	idle, busy := dial(t, addr), dial(t, addr)
	idle.expect("+PONG\r\n", "ping")
	busy.expect("+PONG\r\n", "ping")
	release := blocked(t, s)
	busy.send(strings.Repeat(request("incr", "k"), n))
	for s.stats.input.Load() < uint64(2*len(request("ping"))+n*len(request("incr", "k"))/2) && s.rt.Stats().Sent < 2 {
		time.Sleep(time.Millisecond)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patienceOfTests)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- s.Shutdown(ctx) }()
	idle.expectEnd()
	if _, err := net.Dial("tcp", addr); err == nil {
		t.Error("the server still accepts clients")
	}
	release()
	for i := range n {
		if got, want := busy.reply(), fmt.Sprintf(":%d\r\n", i+1); got != want {
			t.Fatalf("%q, want %q", got, want)
		}
	}
	busy.expectEnd()
	if err := <-ended; err != nil {
		t.Errorf("Shutdown: %v", err)
	}
}

// blocked starts an operation on the first shard. It lasts until the returned function is called.
func blocked(t *testing.T, s *Server) (release func()) {
	t.Helper()
	gate := make(chan struct{})
	started := make(chan struct{})
	freerun.Do(s.outside, s.units[0], func(*freerun.Context, *shard) (int, error) {
		close(started)
		<-gate
		return 0, nil
	})
	<-started
	return func() { close(gate) }
}

// TestShutdownDeadline: a command that cannot run before the deadline is dropped, and its client
// does not wait for ever.
func TestShutdownDeadline(t *testing.T) {
	s, err := New(Config{Shards: 1, Processors: 1})
	if err != nil {
		t.Fatal(err)
	}
	addr, err := s.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- s.Serve() }()
	c := dial(t, addr.String())
	c.expect("+PONG\r\n", "ping")
	release := blocked(t, s)
	c.send(request("incr", "k"))
	for s.rt.Stats().Sent < 2 {
		time.Sleep(time.Millisecond)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	ended := make(chan error, 1)
	go func() { ended <- s.Shutdown(ctx) }()
	c.expectEndOrReset()
	release()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Shutdown: %v", err)
	}
	if err := <-served; err != nil {
		t.Errorf("Serve: %v", err)
	}
}

// TestShutdownUnderTraffic: Shutdown ends although clients go on sending, and each executed command
// has been answered.
func TestShutdownUnderTraffic(t *testing.T) {
	s, addr := serve(t, Config{Processors: 4})
	var (
		clients sync.WaitGroup
		replies atomic.Uint64
	)
	for range 8 {
		c := dial(t, addr)
		clients.Go(func() {
			for {
				if _, err := io.WriteString(c.conn, strings.Repeat(request("incr", "k"), 100)+request("dbsize")); err != nil {
					return
				}
			}
		})
		clients.Go(func() {
			for {
				line, err := c.in.ReadString('\n')
				if err != nil {
					return
				}
				if line[0] != ':' {
					t.Errorf("%q", line)
				}
				replies.Add(1)
			}
		})
	}
	for s.stats.commands.Load() < 10_000 {
		time.Sleep(time.Millisecond)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patienceOfTests)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	clients.Wait()
	if executed := s.stats.commands.Load(); replies.Load() != executed {
		t.Errorf("%d commands were executed, %d replies arrived", executed, replies.Load())
	}
}

// TestCloseUnderTraffic: Close does not wait for clients that go on sending, and leaves no
// goroutine (TestMain looks).
func TestCloseUnderTraffic(t *testing.T) {
	s, addr := serve(t, Config{Processors: 4})
	var clients sync.WaitGroup
	for range 8 {
		c := dial(t, addr)
		c.expect("+PONG\r\n", "ping")
		clients.Go(func() {
			for {
				if _, err := io.WriteString(c.conn, strings.Repeat(request("incr", "k"), 100)+request("dbsize")); err != nil {
					return
				}
			}
		})
		clients.Go(func() { io.Copy(io.Discard, c.in) })
	}
	for s.stats.commands.Load() < 10_000 {
		time.Sleep(time.Millisecond)
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	clients.Wait()
}

// expectEndOrReset waits for the end of a connection that the server may close with unread bytes.
func (c *client) expectEndOrReset() {
	c.t.Helper()
	buf := make([]byte, 100)
	for {
		if _, err := c.in.Read(buf); err != nil {
			if t, ok := err.(interface{ Timeout() bool }); ok && t.Timeout() {
				c.t.Error("the connection is still open")
			}
			return
		}
	}
}

// TestRefusedCommand: a client gets an error for a command that the runtime refuses.
func TestRefusedCommand(t *testing.T) {
	s, addr := serve(t, Config{Shards: 3})
	for _, args := range [][]string{{"incr", "k"}, {"dbsize"}} {
		c := dial(t, addr)
		c.expect("+PONG\r\n", "ping")
		ctx, cancel := context.WithTimeout(context.Background(), patienceOfTests)
		if err := s.rt.Shutdown(ctx); err != nil && !errors.Is(err, freerun.ErrClosed) {
			t.Fatal(err)
		}
		cancel()
		c.expect("-ERR server is shutting down\r\n", args...)
		c.expectEnd()
	}
}

// TestPanicIsolation: a command that panics is an error for its client, and for the commands behind
// it in the same message. The connection, the shard and the server go on.
func TestPanicIsolation(t *testing.T) {
	broken := &command{name: "broken", arity: 2, keyed: func(*shard, [][]byte, *writer) { panic("a fault") }}
	commands["broken"] = broken
	// This runs after the server, which reads the commands, has ended.
	t.Cleanup(func() { delete(commands, "broken") })
	_, addr := serve(t, Config{Shards: 1})
	c := dial(t, addr)
	c.send(request("incr", "k") + request("broken", "k") + request("dbsize") + request("ping"))
	want := ":1\r\n-" + errInternal + "\r\n-" + errInternal + "\r\n+PONG\r\n"
	if got := c.reply() + c.reply() + c.reply() + c.reply(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	c.expect(":2\r\n", "incr", "k")
}

func TestMisuse(t *testing.T) {
	for _, config := range []Config{
		{Shards: -1},
		{Processors: -1},
		{Shards: maxShards + 1},
		{MaxBulk: maxValue + 1},
		{IdleTimeout: -1},
		{WriteTimeout: -1},
		{MaxClients: -1},
		{MaxRequest: -1},
		{MaxArguments: -1},
	} {
		if s, err := New(config); err == nil {
			t.Errorf("%+v was accepted", config)
			s.Close()
		}
	}
	s, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Serve(); err == nil {
		t.Error("Serve before Listen succeeded")
	}
	if _, err := s.Listen("nowhere.invalid:x"); err == nil {
		t.Error("Listen on nonsense succeeded")
	}
	if _, err := s.Listen("127.0.0.1:0"); err != nil {
		t.Error(err)
	}
	if _, err := s.Listen("127.0.0.1:0"); err == nil {
		t.Error("a second Listen succeeded")
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if _, err := s.Listen("127.0.0.1:0"); !errors.Is(err, ErrClosed) {
		t.Errorf("Listen after Close: %v", err)
	}
	if err := s.Serve(); !errors.Is(err, ErrClosed) {
		t.Errorf("Serve after Close: %v", err)
	}
}
