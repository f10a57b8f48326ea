package ddb

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun/offheap"
)

// TestMemoryAgainstRedis has two clients of a redis-server and two of ours do the same while memory
// is short, and compares the replies byte by byte.
func TestMemoryAgainstRedis(t *testing.T) {
	redisAddr := startRedis(t)
	for _, config := range []Config{{Shards: 1}, {Shards: 6}, {Shards: 6, Values: OffHeap, MaxMemory: 5 << 20}} {
		_, addr := serve(t, config)
		ours := map[string]*client{"a": dial(t, addr), "b": dial(t, addr)}
		theirs := map[string]*client{"a": dial(t, redisAddr), "b": dial(t, redisAddr)}
		theirs["a"].do("FLUSHALL")
		for _, c := range []*client{theirs["a"], ours["a"]} {
			c.expect("+OK\r\n", "CONFIG", "SET", "maxmemory-policy", "noeviction", "maxmemory", "0")
		}
		for _, line := range readLines(t, "testdata/memory.txt") {
			words, err := splitWords(line)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			want, got := theirs[words[0]].do(words[1:]...), ours[words[0]].do(words[1:]...)
			if got != want {
				t.Errorf("%d shards, values %q: %s\n ours:  %q\n redis: %q", config.Shards, config.Values, line, got, want)
			}
		}
	}
}

func TestParseMemory(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "1": 1, "1b": 1, "7k": 7000, "7kb": 7168, "3m": 3e6, "3MB": 3 << 20, "2g": 2e9, "1gb": 1 << 30, "1Gb": 1 << 30,
		"9223372036854775807": math.MaxInt64, "8589934591gb": 8589934591 << 30,
	} {
		if got, err := ParseMemory(text); err != nil || got != want {
			t.Errorf("%q: %d and %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "b", "gb", "-1", "+1", "1.5mb", "1 mb", "1tb", "0x10", "9223372036854775808", "8589934592gb", "mb1"} {
		if got, err := ParseMemory(text); err == nil || !strings.Contains(err.Error(), strconv.Quote(text)) || !strings.Contains(err.Error(), "1gb") {
			t.Errorf("%q: %d and %v, want an error that says what would be right", text, got, err)
		}
	}
}

// TestMemoryConfig: New refuses wrong limits, policies and sizes, with an error that names them.
func TestMemoryConfig(t *testing.T) {
	for _, test := range []struct {
		config Config
		want   string
	}{
		{Config{MaxMemory: -1}, "MaxMemory is -1 bytes, it must not be negative"},
		{Config{MaxMemoryPolicy: "allkeys-lfu"}, "it must be one of noeviction, allkeys-lru, volatile-ttl"},
		{Config{MaxMemorySamples: -1}, "MaxMemorySamples"},
		{Config{Values: "disk"}, "it must be heap or offheap"},
		{Config{Values: OffHeap, MaxMemory: math.MaxInt64}, "off the heap"},
	} {
		s, err := New(test.config)
		if err == nil {
			s.Close()
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.config, err, test.want)
		}
	}
}

// TestGrowthIsDenied: the commands marked as growing are those that Redis denies when it is out of
// memory.
func TestGrowthIsDenied(t *testing.T) {
	for name, c := range commands {
		denied := false
		for _, flag := range c.flags {
			denied = denied || flag == "denyoom"
		}
		if denied != (c.grows != keeps) {
			t.Errorf("%s: the flag denyoom is %v, and it grows %v", name, denied, c.grows)
		}
	}
}

// keysIn returns a key of each shard.
func keysIn(s *Server) []string {
	keys := make([]string, len(s.units))
	for i, left := 0, len(keys); left > 0; i++ {
		key := "k" + strconv.Itoa(i)
		if shard := s.shardOf([]byte(key)); keys[shard] == "" {
			keys[shard] = key
			left--
		}
	}
	return keys
}

// checkBudget checks, when no message is under way, that all that is reserved is used or credit,
// and that the limit holds.
func checkBudget(t *testing.T, s *Server, c *client) {
	t.Helper()
	used, err := strconv.ParseInt(parseInfo(t, c, "memory")["used_memory"], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	credit := int64(0)
	for _, a := range s.budget.accounts {
		credit += a.credit.Load()
	}
	reserved, limit := s.budget.reserved.Load(), s.budget.limit.Load()
	if used != s.budget.used() || reserved != used+credit || (limit > 0 && reserved > limit) {
		t.Errorf("used %d (published %d), credit %d, reserved %d, limit %d", used, s.budget.used(), credit, reserved, limit)
	}
}

// TestOthersEvict: a shard that has nothing to evict, or too little, gets memory that others evict,
// and the commands behind it keep their order.
func TestOthersEvict(t *testing.T) {
	everywhere(t, func(t *testing.T, values Values) {
		s, addr := serve(t, Config{Shards: 4, Processors: 2, Values: values, MaxMemory: 100_000, MaxMemoryPolicy: AllKeysLRU})
		c := dial(t, addr)
		keys := keysIn(s)
		value := strings.Repeat("v", 28_000)
		for n, i := 0, 0; n < 3; i++ { // all in shard 0
			if key := "full" + strconv.Itoa(i); s.shardOf([]byte(key)) == 0 {
				c.expect("+OK\r\n", "set", key, value)
				n++
			}
		}
		before := parseInfo(t, c)["evicted_keys"]
		// The second command of the pipeline starves. Commands behind it on these shards must not
		// overtake it.
		c.send(request("set", keys[2], "small") + request("set", keys[1], value) + request("append", keys[1], "1") +
			request("mset", keys[1], value+"2", keys[3], "3") + request("append", keys[1], "4") + request("strlen", keys[3]) + request("get", keys[2]))
		for i, want := range []string{"+OK\r\n", "+OK\r\n", ":28001\r\n", "+OK\r\n", ":28002\r\n", ":1\r\n", bulk("small")} {
			if got := c.reply(); got != want {
				t.Errorf("reply %d: %.60q, want %q", i, got, want)
			}
		}
		c.expect(bulk(value+"24"), "get", keys[1])
		if after := parseInfo(t, c)["evicted_keys"]; after == before {
			t.Error("no shard has evicted anything")
		}
		checkBudget(t, s, c)
	})
}

// TestSmallShardIsSpared: a shard with few keys does not lose all of them to one large value while
// others have many.
func TestSmallShardIsSpared(t *testing.T) {
	s, addr := serve(t, Config{Shards: 2, MaxMemory: 100_000, MaxMemoryPolicy: AllKeysLRU})
	c := dial(t, addr)
	large := strings.Repeat("v", 18_000)
	var small []string
	for i, n := 0, 0; n < 4 || len(small) < 20; i++ {
		switch key := strconv.Itoa(i); {
		case s.shardOf([]byte(key)) == 1 && len(small) < 20:
			c.expect("+OK\r\n", "set", key, "v")
			small = append(small, key)
		case s.shardOf([]byte(key)) == 0 && n < 4:
			c.expect("+OK\r\n", "set", key, large)
			n++
		}
	}
	for i, n := 0, 0; n < 3; i++ {
		if key := "large" + strconv.Itoa(i); s.shardOf([]byte(key)) == 1 {
			c.expect("+OK\r\n", "set", key, large)
			n++
			c.expect(":20\r\n", append([]string{"exists"}, small...)...)
		}
	}
}

// TestMsetAllOrNothing: if one shard has no room, no shard executes its part. In a pipeline only
// that MSET is refused.
func TestMsetAllOrNothing(t *testing.T) {
	everywhere(t, func(t *testing.T, values Values) {
		s, addr := serve(t, Config{Shards: 4, Processors: 2, Values: values, MaxMemory: 60_000})
		c := dial(t, addr)
		keys := keysIn(s)
		large := strings.Repeat("v", 70_000)
		c.send(request("mset", keys[0], "a", keys[1], "b") + request("mset", keys[2], "c", keys[3], large, keys[0], "no") +
			request("mset", keys[1], "d", keys[3], "e") + request(append([]string{"mget"}, keys...)...))
		for i, want := range []string{"+OK\r\n", oom, "+OK\r\n", "*4\r\n" + bulk("a") + bulk("d") + "$-1\r\n" + bulk("e")} {
			if got := c.reply(); got != want {
				t.Errorf("reply %d: %q, want %q", i, got, want)
			}
		}
		c.expect(oom, "mset", keys[0], large)
		checkBudget(t, s, c)
	})
}

// TestTransactionOutOfMemory: EXEC executes all or nothing, and says why. Its watches are gone
// afterwards.
func TestTransactionOutOfMemory(t *testing.T) {
	everywhere(t, func(t *testing.T, values Values) {
		s, addr := serve(t, Config{Shards: 4, Processors: 2, Values: values, MaxMemory: 60_000})
		c := dial(t, addr)
		keys := keysIn(s)
		part := strings.Repeat("v", 18_000) // of which three fit
		for _, step := range []struct {
			want string
			args []string
		}{
			{"+OK\r\n", []string{"set", keys[0], "before"}},
			{"+OK\r\n", []string{"watch", keys[0]}},
			{"+OK\r\n", []string{"multi"}},
			{"+QUEUED\r\n", []string{"set", keys[0], part}},
			{"+QUEUED\r\n", []string{"append", keys[1], part}},
			{"+QUEUED\r\n", []string{"append", keys[1], part}},
			{"+QUEUED\r\n", []string{"append", keys[1], part}},
			{"-EXECABORT Transaction discarded because of: OOM command not allowed when used memory > 'maxmemory'.\r\n", []string{"exec"}},
			{bulk("before"), []string{"get", keys[0]}},
			{":0\r\n", []string{"exists", keys[1]}},
			{"+OK\r\n", []string{"multi"}},
			{"+QUEUED\r\n", []string{"set", keys[0], part}},
			{"+QUEUED\r\n", []string{"set", keys[0], "small"}},
			{"+QUEUED\r\n", []string{"incr", keys[1]}},
			{"*3\r\n+OK\r\n+OK\r\n:1\r\n", []string{"exec"}},
		} {
			if got := c.do(step.args...); got != step.want {
				t.Errorf("%.40q: %q, want %q", step.args, got, step.want)
			}
		}
		checkBudget(t, s, c)
	})
}

// TestEvictionTouchesWatches: a transaction is not executed if a key that it watches was evicted.
func TestEvictionTouchesWatches(t *testing.T) {
	_, addr := serve(t, Config{Shards: 1, MaxMemory: 1000, MaxMemoryPolicy: AllKeysLRU, MaxMemorySamples: 100})
	c, other := dial(t, addr), dial(t, addr)
	c.expect("+OK\r\n", "set", "k", "v")
	c.expect("+OK\r\n", "watch", "k")
	c.expect("+OK\r\n", "multi")
	c.expect("+QUEUED\r\n", "set", "k", "w")
	for i := 0; other.do("exists", "k") == ":1\r\n"; i++ {
		other.expect("+OK\r\n", "set", strconv.Itoa(i), "v")
	}
	c.expect("*-1\r\n", "exec")
	c.expect("$-1\r\n", "get", "k")
}

// TestLimitIsLowered: memory above a lowered limit is freed in the background.
func TestLimitIsLowered(t *testing.T) {
	everywhere(t, func(t *testing.T, values Values) {
		s, addr := serve(t, Config{Shards: 3, Values: values, MaxMemory: 64 << 20, MaxMemoryPolicy: AllKeysLRU})
		c := dial(t, addr)
		const keys = 20_000
		var mass strings.Builder
		for i := range keys {
			mass.WriteString(request("set", "key"+strconv.Itoa(i), "value of some length, as values have it"))
		}
		go c.send(mass.String())
		for range keys {
			if got := c.reply(); got != "+OK\r\n" {
				t.Fatal(got)
			}
		}
		full := s.budget.used()
		c.expect("+OK\r\n", "config", "set", "maxmemory", strconv.FormatInt(full/4, 10))
		for s.budget.over() {
			time.Sleep(time.Millisecond)
		}
		checkBudget(t, s, c)
		if left, _ := strconv.Atoi(strings.Trim(c.do("dbsize"), ":\r\n")); left > keys/4 || left < keys/8 {
			t.Errorf("%d of %d keys are left under a quarter of the limit", left, keys)
		}
		c.expect("+OK\r\n", "set", "k", "v")
		c.expect("+OK\r\n", "config", "set", "maxmemory", "1", "maxmemory-policy", "noeviction")
		c.expect(oom, "set", "k", "v")
	})
}

// TestArenaBoundsTheLimit: off the heap the limit cannot be set above the arena's size.
func TestArenaBoundsTheLimit(t *testing.T) {
	_, addr := serve(t, Config{Values: OffHeap, MaxMemory: 1 << 20})
	c := dial(t, addr)
	c.expect("+OK\r\n", "config", "set", "maxmemory", "2mb")
	if got := c.do("config", "set", "maxmemory", "3mb"); !strings.Contains(got, "argument must be at most 2097152,") {
		t.Errorf("%q", got)
	}
	if got := parseInfo(t, c, "memory"); got["maxmemory"] != "2097152" || got["mem_allocator"] != "offheap" || got["offheap_size"] != "2097152" {
		t.Errorf("%v", got)
	}
}

// TestEvictionUnderLoad has many clients write values of all kinds at once. Throughout, the
// reserved bytes stay within the limit. Afterwards the accounts are exact, and each remaining value
// is one that was written.
func TestEvictionUnderLoad(t *testing.T) {
	everywhere(t, func(t *testing.T, values Values) {
		for _, policy := range policies {
			const limit = 400_000
			s, addr := serve(t, Config{Shards: 5, Processors: 4, Values: values, MaxMemory: limit, MaxMemoryPolicy: policy})
			var writers, watcher sync.WaitGroup
			var stop atomic.Bool
			watcher.Go(func() {
				for !stop.Load() {
					if reserved := s.budget.reserved.Load(); reserved > limit {
						t.Errorf("%s: %d bytes are reserved, the limit is %d", policy, reserved, limit)
						return
					}
					time.Sleep(50 * time.Microsecond)
				}
			})
			const rounds, batch = 60, 16
			for w := range 8 {
				c := dial(t, addr)
				writers.Go(func() {
					for i := range rounds {
						var out strings.Builder
						for n := range batch {
							key := func() string { return fmt.Sprintf("k%d", (i*batch+n*7+w*31)%300) }
							value := strings.Repeat(strconv.Itoa(w), 1+(i*37+n*n*n*11)%6000)
							switch n % 8 {
							case 0, 1, 2:
								out.WriteString(request("set", key(), value))
							case 3:
								out.WriteString(request("set", key(), value, "px", strconv.Itoa(20+i*100)))
							case 4:
								out.WriteString(request("append", key(), value))
							case 5:
								out.WriteString(request("mset", key(), value, key()+"'", value, "m"+strconv.Itoa(i), value))
							case 6:
								out.WriteString(request("get", key()))
							case 7:
								out.WriteString(request("del", key()))
							}
						}
						out.WriteString(request("multi") + request("set", "t"+strconv.Itoa(w), "1") + request("incr", "t"+strconv.Itoa(w)) + request("exec"))
						c.send(out.String())
						for range batch + 4 {
							got := c.reply()
							if strings.HasPrefix(got, "-") && (policy == AllKeysLRU || !strings.Contains(got, "OOM")) {
								t.Errorf("%s: %.80q", policy, got)
							}
						}
					}
				})
			}
			writers.Wait()
			stop.Store(true)
			watcher.Wait()
			c := dial(t, addr)
			checkBudget(t, s, c)
			if policy == AllKeysLRU {
				if used := s.budget.used(); used < limit*3/4 {
					t.Errorf("%d of %d bytes are used at the end", used, limit)
				}
			}
			c.expect("+OK\r\n", "flushall")
			if used := parseInfo(t, c)["used_memory"]; used != "0" {
				t.Errorf("%s bytes are used after FLUSHALL", used)
			}
			if s.arena != nil {
				if live := s.arena.Usage().Blocks; live != 0 {
					t.Errorf("%d blocks are live after FLUSHALL", live)
				}
			}
		}
	})
}

// TestCloseWithValuesOffHeap: however a server ends, no block of its arena is live.
func TestCloseWithValuesOffHeap(t *testing.T) {
	for range 5 {
		s, addr := serve(t, Config{Shards: 4, Values: OffHeap, MaxMemory: 1 << 20, MaxMemoryPolicy: AllKeysLRU})
		var clients sync.WaitGroup
		for range 4 {
			c := dial(t, addr)
			clients.Go(func() { io.Copy(io.Discard, c.conn) })
			clients.Go(func() {
				for i := 0; ; i++ {
					key := strconv.Itoa(i % 100)
					out := strings.Repeat(request("set", key, strings.Repeat("v", 3000))+request("get", key), 20)
					if _, err := io.WriteString(c.conn, out); err != nil {
						return
					}
				}
			})
		}
		for s.stats.commands.Load() < 500 {
			time.Sleep(time.Millisecond)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		clients.Wait()
	}
}

// TestLeakIsTold: a block that was never freed makes the end of the server an error.
func TestLeakIsTold(t *testing.T) {
	for _, end := range []func(s *Server) error{(*Server).Close, func(s *Server) error { return s.Shutdown(t.Context()) }} {
		s, err := New(Config{Values: OffHeap, MaxMemory: 1 << 20})
		if err != nil {
			t.Fatal(err)
		}
		lost, err := s.arena.Alloc(100)
		if err != nil {
			t.Fatal(err)
		}
		if err := end(s); !errors.Is(err, offheap.ErrInUse) {
			t.Errorf("%v, want ErrInUse", err)
		}
		s.arena.Free(lost)
		if err := s.arena.Close(); err != nil {
			t.Error(err)
		}
	}
}
