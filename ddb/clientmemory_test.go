package ddb

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// log collects a server's log for tests that read it meanwhile.
type log struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func newLog() (*log, *slog.Logger) {
	l := &log{}
	return l, slog.New(slog.NewTextHandler(l, nil))
}

// eventually waits until the condition holds.
func eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(patienceOfTests); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never: " + what)
		}
	}
}

// TestMemoryOfClientsIsCounted: INFO and CLIENT LIST count unfinished requests, queued
// transactions, watched keys and unread replies while they exist.
func TestMemoryOfClientsIsCounted(t *testing.T) {
	s, addr := serve(t, Config{})
	first := dial(t, addr)
	first.expect("+OK\r\n", "SET", "k", strings.Repeat("v", 10<<20))
	first.conn.Close() // its large buffer would count at first, and not in the end
	other := dial(t, addr)
	counted := func() int64 {
		n, err := strconv.ParseInt(parseInfo(t, other, "memory")["mem_clients_normal"], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	eventually(t, "only small buffers are counted", func() bool { return counted() < 1<<20 })
	for name, occupy := range map[string]func(c *client){
		"an unfinished request": func(c *client) {
			c.send("*2\r\n$3\r\nGET\r\n$20000000\r\n" + strings.Repeat("x", 8<<20))
		},
		"a transaction": func(c *client) {
			c.expect("+OK\r\n", "MULTI")
			for range 80 {
				c.expect("+QUEUED\r\n", "SET", "k", strings.Repeat("v", 100<<10))
			}
		},
		"a transaction of many": func(c *client) {
			c.expect("+OK\r\n", "MULTI")
			c.send(strings.Repeat(request("GET", "k"), 20_000))
			for range 20_000 {
				c.reply()
			}
		},
		"watches": func(c *client) {
			keys := []string{"WATCH"}
			for i := range 40_000 {
				keys = append(keys, strconv.Itoa(i))
			}
			c.expect("+OK\r\n", keys...)
		},
		"replies": func(c *client) {
			c.send(strings.Repeat(request("GET", "k"), 4))
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := counted()
			c := dial(t, addr)
			c.expect("+PONG\r\n", "PING")
			occupy(c)
			eventually(t, "8 MB are counted", func() bool { return counted() > before+7<<20 })
			total := int64(0)
			for _, held := range s.allConnections() {
				total = max(total, held.memory.total.Load())
				if !strings.Contains(other.do("CLIENT", "LIST"), fmt.Sprintf("id=%d ", held.id)) {
					t.Error("a client is missing in CLIENT LIST")
				}
			}
			if total < 7<<20 {
				t.Errorf("the largest client has %d bytes", total)
			}
			c.conn.Close()
			eventually(t, "nothing of it is counted", func() bool { return counted() < before+64<<10 })
		})
	}
	if n := s.clientMemory.Load(); n <= 0 {
		t.Errorf("the clients that are left take %d bytes", n)
	}
}

// TestNothingIsCountedAfterTheEnd: after the clients have gone, not a byte is counted for them.
func TestNothingIsCountedAfterTheEnd(t *testing.T) {
	s, addr := serve(t, Config{Values: OffHeap, Shards: 5})
	var all sync.WaitGroup
	for i := range 8 {
		c := dial(t, addr)
		all.Go(func() {
			for range 20 {
				c.do("SET", "k"+strconv.Itoa(i), strings.Repeat("v", 50_000))
				c.send(strings.Repeat(request("GET", "k"+strconv.Itoa(i)), 40) + request("MGET", "k0", "k1", "k2", "k3"))
				for range 41 {
					c.reply()
				}
			}
			c.do("MULTI")
			c.do("GET", "k")
			c.conn.Close()
		})
	}
	all.Wait()
	eventually(t, "the clients are gone", func() bool { return len(s.allConnections()) == 0 })
	eventually(t, "nothing is counted", func() bool { return s.clientMemory.Load() == 0 })
}

// TestClientsRest: a silent client gives the buffers of its last batches back, and goes on
// afterwards.
func TestClientsRest(t *testing.T) {
	for _, idle := range []time.Duration{0, time.Hour} {
		s, err := New(Config{IdleTimeout: idle, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		s.rest = 10 * time.Millisecond
		addr, err := s.Listen("127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		served := make(chan error, 1)
		go func() { served <- s.Serve() }()
		c := dial(t, addr.String())
		for range 3 {
			var pipeline strings.Builder
			for i := range 100 {
				pipeline.WriteString(request("SET", strconv.Itoa(i), strings.Repeat("v", 100<<10)) + request("GET", strconv.Itoa(i)))
			}
			go io.WriteString(c.conn, pipeline.String())
			for range 200 {
				c.reply()
			}
			eventually(t, "it rests", func() bool { return s.clientMemory.Load() <= keptAtRest })
			c.send("*1\r\n$4\r\nPI")
			time.Sleep(30 * time.Millisecond) // nothing depends on how long
			c.send("NG\r\n")
			if got := c.reply(); got != "+PONG\r\n" {
				t.Errorf("after a rest: %q", got)
			}
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		<-served
	}
}

// TestClientsAreEvicted: beyond the limit of all clients the one that takes the most is
// disconnected; the others go on.
func TestClientsAreEvicted(t *testing.T) {
	logged, logger := newLog()
	s, addr := serve(t, Config{MaxClientMemory: 8 << 20, Logger: logger})
	small, large := dial(t, addr), dial(t, addr)
	small.expect("+OK\r\n", "MULTI")
	small.expect("+QUEUED\r\n", "SET", "k", strings.Repeat("v", 100<<10))
	large.expect("+OK\r\n", "MULTI")
	for {
		if _, err := io.WriteString(large.conn, request("SET", "k", strings.Repeat("v", 100<<10))); err != nil {
			break
		}
		var raw bytes.Buffer
		if readReply(large.in, &raw) != nil {
			break
		}
	}
	small.expect("*1\r\n+OK\r\n", "EXEC")
	eventually(t, "its memory is free", func() bool { return s.clientMemory.Load() < 1<<20 })
	info := parseInfo(t, small)
	if info["evicted_clients"] != "1" || info["maxmemory_clients"] != strconv.Itoa(8<<20) || s.Stats().EvictedClients != 1 {
		t.Errorf("evicted_clients:%s maxmemory_clients:%s", info["evicted_clients"], info["maxmemory_clients"])
	}
	if text := logged.String(); strings.Count(text, "evicting a client") != 1 || !strings.Contains(text, "maxmemory-clients") {
		t.Errorf("the log says %q", text)
	}

	// The limit may come later; the largest client may be idle.
	small.expect("+OK\r\n", "CONFIG", "SET", "maxmemory-clients", "0")
	large = dial(t, addr)
	large.send("*2\r\n$3\r\nGET\r\n$20000000\r\n" + strings.Repeat("x", 8<<20))
	eventually(t, "it is counted", func() bool { return s.clientMemory.Load() > 8<<20 })
	small.expect("+OK\r\n", "CONFIG", "SET", "maxmemory-clients", "4mb")
	large.expectEndOrReset()
	small.expect("+PONG\r\n", "PING")
	small.expect("*2\r\n"+bulk("maxmemory-clients")+bulk("4194304"), "CONFIG", "GET", "maxmemory-clients")
}

// TestOutputLimit: a client is disconnected if more bytes are copied for one of its replies than
// may wait, for every command.
func TestOutputLimit(t *testing.T) {
	logged, logger := newLog()
	s, addr := serve(t, Config{Values: OffHeap, Shards: 3, MaxClientOutput: 1 << 20, Logger: logger})
	c := dial(t, addr)
	var keys []string
	for i := range 40 {
		keys = append(keys, "key"+strconv.Itoa(i)+strings.Repeat("k", 1000))
		c.expect("+OK\r\n", "SET", keys[i], strings.Repeat("v", 50_000))
	}
	for n, test := range []struct {
		name, pipeline string
	}{
		{"MGET", request(append([]string{"MGET"}, keys...)...)},
		{"EXEC", request("MULTI") + strings.Repeat(request("GET", keys[0]), 30) + request("SET", "done", "yes") + request("EXEC")},
		{"KEYS", request("MULTI") + strings.Repeat(request("KEYS", "*"), 50) + request("EXEC")},
	} {
		greedy := dial(t, addr)
		greedy.send(test.pipeline)
		rest, _ := io.ReadAll(greedy.in)
		if len(rest) > 1000 {
			t.Errorf("%s: %d bytes came", test.name, len(rest))
		}
		eventually(t, "it is logged", func() bool { return strings.Count(logged.String(), "overcoming of output buffer limits") == n+1 })
	}
	c.expect(bulk("yes"), "GET", "done") // as in Redis, the commands are executed
	if got := parseInfo(t, c, "stats")["client_output_buffer_limit_disconnections"]; got != "3" {
		t.Errorf("%s clients were disconnected", got)
	}
	eventually(t, "nothing of it is kept", func() bool { return s.clientMemory.Load() < 1<<20 })

	// A pipeline of the same length, one reply after another, is served.
	for range 5 {
		c.send(strings.Repeat(request("GET", keys[0]), 100))
		for range 100 {
			c.reply()
		}
	}
	c.expect("+OK\r\n", "CONFIG", "SET", "client-output-buffer-limit", "normal 0 0 0")
	c.expect("*2\r\n"+bulk("client-output-buffer-limit")+bulk("normal 0 0 0 slave 0 0 0 pubsub 0 0 0"), "CONFIG", "GET", "client-output-buffer-limit")
	if got := c.do(append([]string{"MGET"}, keys...)...); len(got) < 40*50_000 {
		t.Errorf("without a limit %d bytes come", len(got))
	}
}

// TestOutputLimitIsTold: a client that is disconnected by the limit is counted and logged, whatever
// happens to its connection afterwards.
func TestOutputLimitIsTold(t *testing.T) {
	short, long := request("GET", "short"), request("GET", "long")
	for name, test := range map[string]struct {
		limit    int64
		pipeline string
	}{
		"the write that stands still":      {1 << 20, long},
		"what follows such a write":        {32 << 20, short + long},
		"and is followed in turn":          {32 << 20, short + long + request("PING") + long},
		"and is the last one":              {32 << 20, short + long + request("QUIT")},
		"and breaks the protocol":          {32 << 20, short + long + "*1\r\nPING\r\n"},
		"in a transaction":                 {1 << 20, request("MULTI") + long + request("EXEC")},
		"in a transaction that is as long": {32 << 20, request("MULTI") + short + long + request("EXEC")},
	} {
		t.Run(name, func(t *testing.T) {
			logged, logger := newLog()
			s, addr := serve(t, Config{MaxClientOutput: test.limit, Logger: logger})
			c := dial(t, addr)
			// More than sockets hold, and less than half of the limit.
			c.expect("+OK\r\n", "SET", "short", strings.Repeat("v", 12<<20))
			c.expect("+OK\r\n", "SET", "long", strings.Repeat("v", 40<<20))
			greedy := dial(t, addr)
			greedy.send(test.pipeline)
			eventually(t, "it is disconnected", func() bool { return s.stats.connections.Load() == 2 && len(s.allConnections()) == 1 })
			if n := s.Stats().OutputLimitedClients; n != 1 {
				t.Errorf("%d clients were counted", n)
			}
			if n := strings.Count(logged.String(), "overcoming of output buffer limits"); n != 1 {
				t.Errorf("it was logged %d times", n)
			}
		})
	}
}

// TestAbortedTransactionsTakeNoMemory: a transaction that EXEC will refuse takes no memory.
func TestAbortedTransactionsTakeNoMemory(t *testing.T) {
	s, addr := serve(t, Config{})
	c := dial(t, addr)
	c.do("MULTI")
	c.do("NOSUCH")
	for range 100 {
		c.expect("+QUEUED\r\n", "SET", "k", strings.Repeat("v", 100<<10))
	}
	for _, held := range s.allConnections() {
		if n := held.memory.queued.Load(); n != 0 {
			t.Errorf("%d bytes are kept", n)
		}
	}
	c.expect("-"+errExecAbort+"\r\n", "EXEC")
}

// TestStats: Server.Stats agrees with INFO.
func TestStats(t *testing.T) {
	s, addr := serve(t, Config{Shards: 3, MaxMemory: 1 << 20, MaxMemoryPolicy: AllKeysLRU})
	c := dial(t, addr)
	for i := range 20_000 {
		c.do("SET", strconv.Itoa(i), "value")
	}
	c.do("SET", "k", "v", "EX", "1000")
	c.do("GET", "k")
	c.do("GET", "none")
	c.do("SET", "due", "v", "PX", "1")
	eventually(t, "a key expires", func() bool { return s.Stats().Expired == 1 })
	info, stats := parseInfo(t, c), s.Stats()
	for name, value := range map[string]any{
		"keyspace_hits": stats.Hits, "keyspace_misses": stats.Misses, "expired_keys": stats.Expired, "evicted_keys": stats.Evicted,
		"connected_clients": stats.Clients, "used_memory": stats.Memory, "maxmemory": stats.MaxMemory,
		"total_connections_received": stats.Connections, "rejected_commands": stats.RejectedCommands,
	} {
		if got := fmt.Sprint(value); info[name] != got {
			t.Errorf("%s is %s by INFO and %s by Stats", name, info[name], got)
		}
	}
	if want := fmt.Sprintf("keys=%d,expires=%d,avg_ttl=0", stats.Keys, stats.Expiring); info["db0"] != want || stats.Evicted == 0 || stats.Expiring != 1 {
		t.Errorf("INFO has %q, Stats %q, with %d evicted", info["db0"], want, stats.Evicted)
	}
	bytes, _ := strconv.Atoi(info["go_heap_bytes"])
	objects, _ := strconv.Atoi(info["go_heap_objects"])
	if objects <= 0 || bytes < 8*objects {
		t.Errorf("%d objects of Go's heap have %d bytes", objects, bytes)
	}
}

// TestOutputLimitIsTheReason: the write that exceeds the limit fails the output, even if it is the
// last one, and no later error replaces that reason.
func TestOutputLimitIsTheReason(t *testing.T) {
	for name, pieces := range map[string][]int{
		"the write that stands still": {2 << 20},
		"what follows such a write":   {flushAt, 2 << 20},
	} {
		t.Run(name, func(t *testing.T) {
			here, there := net.Pipe() // no goroutine reads from there
			defer there.Close()
			var sent atomic.Uint64
			var all atomic.Int64
			o := output{conn: here, socket: newSocket(here), timeout: patienceOfTests, limit: 1 << 20, most: 1 << 20, sent: &sent, memory: &clientMemory{all: &all}}
			for _, n := range pieces {
				o.long(make([]byte, n), nil, false)
			}
			if err := o.flush(); err != errOutputLimit {
				t.Errorf("flush: %v", err)
			}
			if err := o.close(); err != errOutputLimit {
				t.Errorf("close: %v", err)
			}
			if o.failed != errOutputLimit || all.Load() != 0 {
				t.Errorf("%v; %d bytes are counted", o.failed, all.Load())
			}
		})
	}
}
