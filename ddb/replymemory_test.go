package ddb

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"
)

// heaviest samples the memory of all clients of a server until stop is called, which returns the
// maximum.
func heaviest(s *Server) (stop func() int64) {
	done, result := make(chan struct{}), make(chan int64)
	go func() {
		most := int64(0)
		for {
			most = max(most, s.clientMemory.Load())
			select {
			case <-done:
				result <- most
				return
			case <-time.After(100 * time.Microsecond):
			}
		}
	}()
	return func() int64 { close(done); return <-result }
}

// TestRepliesAreBounded: of a long pipeline of long values, wherever values are kept, no more
// replies are made than may wait. All replies come in order, with the short ones between them.
func TestRepliesAreBounded(t *testing.T) {
	const length, n = 256 << 10, 120
	everywhere(t, func(t *testing.T, values Values) {
		for _, shape := range []string{"get", "mget", "mixed", "reversed"} {
			t.Run(shape, func(t *testing.T) {
				s, addr := serve(t, Config{Values: values, Shards: 3, Processors: 2, MaxMemory: 100 << 20, MaxClientOutput: 16 * length})
				c := dial(t, addr)
				keys := []string{"a", "b", "c", "d", "e", "f"}
				for _, key := range keys {
					c.expect("+OK\r\n", "set", key, strings.Repeat(key, length))
				}
				var pipeline strings.Builder
				var wants []string
				ask := func(want string, args ...string) {
					pipeline.WriteString(request(args...))
					wants = append(wants, want)
				}
				value := func(key string) string { return bulk(strings.Repeat(key, length)) }
				for i := range n {
					key := keys[i%len(keys)]
					switch {
					case shape == "get":
						ask(value(key), "get", key)
					case shape == "mget":
						other := keys[(i+1)%len(keys)]
						ask("*2\r\n"+value(key)+value(other), "mget", key, other)
					// All requests for one key come in a row, so the first replies all come from
					// one shard.
					case shape == "reversed":
						key := keys[i*len(keys)/n]
						ask(value(key), "get", key)
					case i%5 == 0:
						ask(":1\r\n", "set", "x", fmt.Sprint(i), "get")
						wants[len(wants)-1] = map[bool]string{true: "$-1\r\n", false: bulk(fmt.Sprint(i - 5))}[i == 0]
					case i%5 == 1:
						ask("+OK\r\n", "watch", key, "other")
					case i%5 == 2:
						ask("+OK\r\n", "multi")
						ask("+QUEUED\r\n", "get", key)
						ask("+QUEUED\r\n", "client", "id")
						ask("*2\r\n"+value(key)+":1\r\n", "exec")
					case i%5 == 3:
						ask("*1\r\n"+value(key), "mget", key)
					default:
						ask(value(key), "get", key)
						ask(map[bool]string{true: "$-1\r\n", false: bulk(fmt.Sprint(i - 5))}[i == 4], "getset", "y", fmt.Sprint(i))
					}
				}
				before := s.clientMemory.Load()
				stop := heaviest(s)
				go io.WriteString(c.conn, pipeline.String())
				for i, want := range wants {
					if got := c.reply(); got != want {
						t.Fatalf("reply %d of %d: %d bytes that begin with %.40q, want %d with %.40q", i, len(wants), len(got), got, len(want), want)
					}
				}
				// Half of MaxClientOutput may wait. Each processor may add a reply of two values.
				// The requests are buffered.
				if most := stop() - before; most > 8*length+2*2*length+8*length {
					t.Errorf("%d bytes were taken by replies", most)
				}
				if s.stats.halted.Load() == 0 {
					t.Error("no message had to wait for replies: the test shows nothing")
				}
				for s.clientMemory.Load() > before+8*length {
					time.Sleep(time.Millisecond)
				}
				for _, held := range s.allConnections() {
					c.expect("+PONG\r\n", "ping")
					if n := held.batch.held.Load(); n != 0 {
						t.Errorf("%d bytes are held between rounds", n)
					}
				}
			})
		}
	})
}

// TestListsOfClientsAreBounded: long replies of the connection itself end a batch, too.
func TestListsOfClientsAreBounded(t *testing.T) {
	s, addr := serve(t, Config{})
	c := dial(t, addr)
	before := s.clientMemory.Load()
	stop := heaviest(s)
	const n = 1000
	go io.WriteString(c.conn, strings.Repeat(request("command", "docs"), n)+request("multi")+strings.Repeat(request("command", "docs"), n)+request("exec"))
	for range n + 1 + n + 1 {
		c.reply()
	}
	if most := stop() - before; most > 16<<20 {
		t.Errorf("%d bytes were taken by replies", most)
	}
}
