package ddb

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/freerun-go/freerun"
)

// TestTransactionsAgainstRedis has two clients of a redis-server and two of ours do the same, and
// compares the replies byte by byte.
func TestTransactionsAgainstRedis(t *testing.T) {
	redisAddr := startRedis(t)
	for _, shards := range []int{1, 6} {
		_, addr := serve(t, Config{Shards: shards})
		ours := map[string]*client{"a": dial(t, addr), "b": dial(t, addr)}
		theirs := map[string]*client{"a": dial(t, redisAddr), "b": dial(t, redisAddr)}
		theirs["a"].do("FLUSHALL")
		for _, line := range readLines(t, "testdata/transactions.txt") {
			words, err := splitWords(line)
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			want, got := theirs[words[0]].do(words[1:]...), ours[words[0]].do(words[1:]...)
			if strings.HasPrefix(line, "a COMMAND INFO") {
				want, got = stripped(want), stripped(got)
			}
			if got != want {
				t.Errorf("%d shards: %s\n ours:  %q\n redis: %q", shards, line, got, want)
			}
		}
	}
}

// stripped is a reply to COMMAND INFO without the parts that this server leaves out.
func stripped(reply string) string {
	var kept []string
	for _, line := range strings.Split(reply, "\r\n") {
		if strings.HasPrefix(line, ":") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept[:6], " ")
}

// TestTransactionInOnePipeline has WATCH, MULTI and EXEC come in one batch, among other commands.
func TestTransactionInOnePipeline(t *testing.T) {
	_, addr := serve(t, Config{Shards: 5})
	c := dial(t, addr)
	c.send(request("MSET", "a", "1", "b", "2", "c", "3", "d", "4") + request("WATCH", "a", "z") + request("GET", "b") +
		request("MULTI") + request("INCR", "a") + request("MGET", "a", "b", "c", "d") + request("PING") + request("EXEC") +
		request("GET", "a") + request("WATCH", "c") + request("INCR", "c") + request("MULTI") + request("SET", "d", "never") + request("EXEC") +
		request("MGET", "c", "d"))
	for i, want := range []string{
		"+OK\r\n", "+OK\r\n", bulk("2"), "+OK\r\n", "+QUEUED\r\n", "+QUEUED\r\n", "+QUEUED\r\n",
		"*3\r\n:2\r\n*4\r\n" + bulk("2") + bulk("2") + bulk("3") + bulk("4") + "+PONG\r\n",
		bulk("2"), "+OK\r\n", ":4\r\n", "+OK\r\n", "+QUEUED\r\n", "*-1\r\n", "*2\r\n" + bulk("4") + bulk("4"),
	} {
		if got := c.reply(); got != want {
			t.Errorf("reply %d: %q, want %q", i, got, want)
		}
	}
}

// TestPipelineOfAll mixes, in one pipeline, commands on several shards, commands on one, wrong ones
// and transactions in all orders. It compares the replies with a server of one shard that gets them
// one by one.
func TestPipelineOfAll(t *testing.T) {
	for _, config := range []Config{{}, {Values: OffHeap, MaxMemory: 16 << 20}, {MaxMemory: 16 << 20, MaxMemoryPolicy: AllKeysLRU}} {
		config.Shards, config.Processors = 6, 3
		testPipelineOfAll(t, config)
	}
}

func testPipelineOfAll(t *testing.T, config Config) {
	_, many := serve(t, config)
	_, one := serve(t, Config{Shards: 1})
	ours, theirs := dial(t, many), dial(t, one)
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	for range 30 {
		ours.do("FLUSHALL")
		theirs.do("FLUSHALL")
		var pipeline strings.Builder
		var all [][]string
		inside := false
		for i := range 80 {
			key := func() string { return string(rune('a' + random.IntN(6))) }
			args := [][]string{
				{"MSET", key(), strconv.Itoa(i), key(), strconv.Itoa(i), key(), strconv.Itoa(i)},
				{"MSET", key(), strconv.Itoa(i), key()},
				{"MSET", "x"},
				{"MGET", "a", "b", "c", "d", "e", "f"},
				{"DEL", key(), key()},
				{"INCR", key()},
				{"GET", key()},
				{"SET", key(), strconv.Itoa(i)},
				{"EXISTS", key(), key(), key()},
				{"MULTI"},
				{"EXEC"},
				{"WATCH", key(), key()},
				{"UNWATCH"},
				{"PING"},
				{"DBSIZE"},
				{"FLUSHALL"},
			}[random.IntN(16)]
			inside = args[0] == "MULTI" || inside && args[0] != "EXEC"
			all = append(all, args)
			pipeline.WriteString(request(args...))
		}
		if inside {
			all = append(all, []string{"DISCARD"})
			pipeline.WriteString(request("DISCARD"))
		}
		ours.send(pipeline.String())
		for i, args := range all {
			if want, got := theirs.do(args...), ours.reply(); got != want {
				t.Fatalf("seed %d: %v, after %v: %q, want %q", seed, args, all[:i], got, want)
			}
		}
	}
}

// TestAtomicAcrossShards: a connection that reads several keys at once never sees a part of a write
// to several keys.
func TestAtomicAcrossShards(t *testing.T) {
	for _, config := range []Config{{}, {Values: OffHeap, MaxMemory: 16 << 20, MaxMemoryPolicy: AllKeysLRU}} {
		config.Shards, config.Processors = 8, 4
		testAtomicAcrossShards(t, config)
	}
}

func testAtomicAcrossShards(t *testing.T, config Config) {
	_, addr := serve(t, config)
	keys := []string{"k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8", "k9"}
	set := func(value string) (args []string) {
		args = []string{"MSET"}
		for _, key := range keys {
			args = append(args, key, value)
		}
		return args
	}
	dial(t, addr).do(set("0")...)
	const rounds = 400
	var writers, readers sync.WaitGroup
	stop := make(chan struct{})
	for w := range 3 {
		c := dial(t, addr)
		writers.Go(func() {
			for i := range rounds {
				switch i % 4 {
				case 0:
					if got := c.do(append([]string{"DEL"}, keys...)...); got != ":10\r\n" && got != ":0\r\n" {
						t.Errorf("DEL: %q", got)
					}
					fallthrough
				case 1, 2:
					c.expect("+OK\r\n", set(fmt.Sprint(w, ".", i))...)
				case 3:
					c.send(request("MULTI") + request(set("0")...) + request(set(fmt.Sprint(w, "+", i))...) + request("EXEC"))
					c.reply()
					c.reply()
					c.reply()
					if got := c.reply(); got != "*2\r\n+OK\r\n+OK\r\n" {
						t.Errorf("EXEC: %q", got)
					}
				}
			}
		})
	}
	for range 2 {
		c := dial(t, addr)
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				reply := c.do(append([]string{"MGET"}, keys...)...)
				one, _, _ := strings.Cut(strings.TrimPrefix(reply, "*10\r\n"), "\r\n")
				if one != "$-1" {
					_, rest, _ := strings.Cut(reply, one+"\r\n")
					value, _, _ := strings.Cut(rest, "\r\n")
					one += "\r\n" + value
				}
				if want := "*10\r\n" + strings.Repeat(one+"\r\n", 10); reply != want {
					t.Errorf("MGET saw a part: %q", reply)
					return
				}
			}
		})
	}
	writers.Wait()
	close(stop)
	readers.Wait()
}

// TestTransfers moves money between keys with transactions that go-redis makes, and with WATCH.
func TestTransfers(t *testing.T) {
	s, addr := serve(t, Config{Shards: 8, Processors: 4})
	db, ctx := connect(t, addr)
	const accounts, clients, each = 6, 4, 150
	name := func(i int) string { return "account" + strconv.Itoa(i%accounts) }
	for i := range accounts {
		db.Set(ctx, name(i), 1000, 0)
	}
	var all sync.WaitGroup
	for n := range clients {
		all.Go(func() {
			for i := range each {
				from, to := name(n+i), name(n+i+1+i%(accounts-1))
				if i%2 == 0 {
					if _, err := db.TxPipelined(ctx, func(p redis.Pipeliner) error {
						p.DecrBy(ctx, from, 7)
						p.IncrBy(ctx, to, 7)
						return nil
					}); err != nil {
						t.Error(err)
					}
					continue
				}
				for done := false; !done; {
					err := db.Watch(ctx, func(tx *redis.Tx) error {
						a, err := tx.Get(ctx, from).Int()
						if err != nil {
							return err
						}
						b, err := tx.Get(ctx, to).Int()
						if err != nil {
							return err
						}
						_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
							p.Set(ctx, from, a-3, 0)
							p.Set(ctx, to, b+3, 0)
							return nil
						})
						return err
					}, from, to)
					if done = err == nil; err != nil && err != redis.TxFailedErr {
						t.Error(err)
						return
					}
				}
				if i%10 == 0 {
					sum := 0
					values, err := db.MGet(ctx, name(0), name(1), name(2), name(3), name(4), name(5)).Result()
					for _, v := range values {
						n, _ := strconv.Atoi(v.(string))
						sum += n
					}
					if sum != accounts*1000 || err != nil {
						t.Errorf("%d in the bank, %v", sum, err)
					}
				}
			}
		})
	}
	all.Wait()
	db.Close()
	s.checkUnwatched(t)
}

// checkUnwatched checks that no shard remembers a key that no client watches any more.
func (s *Server) checkUnwatched(t *testing.T) {
	t.Helper()
	for end := time.Now().Add(patienceOfTests); len(s.allConnections()) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the connections do not end")
		}
	}
	for i := range s.units {
		if n, err := freerun.Do(s.outside, s.units[i], func(_ *freerun.Context, s *shard) (int, error) {
			return len(s.watched), nil
		}).Wait(t.Context()); n != 0 || err != nil {
			t.Errorf("shard %d remembers %d watched keys", i, n)
		}
	}
}

// TestWatchIsForgotten: nothing stays of a client that leaves.
func TestWatchIsForgotten(t *testing.T) {
	s, addr := serve(t, Config{Shards: 3})
	for i := range 20 {
		c := dial(t, addr)
		c.do("WATCH", "a", "b", "c", "d", fmt.Sprint(i))
		c.do("SET", "a", "x")
		if i%2 == 0 {
			c.do("MULTI")
			c.do("SET", "b", "x")
		}
		c.conn.Close()
	}
	s.checkUnwatched(t)
}

// TestTransactionSize: queued commands are bounded like a request.
func TestTransactionSize(t *testing.T) {
	_, addr := serve(t, Config{MaxRequest: 4096})
	c := dial(t, addr)
	c.do("MULTI")
	refused := 0
	for range 30 {
		if c.do("SET", "k", strings.Repeat("v", 200)) != "+QUEUED\r\n" {
			refused++
		}
	}
	if refused == 0 {
		t.Error("nothing was refused")
	}
	c.expect("-"+errExecAbort+"\r\n", "EXEC")
	c.expect("$-1\r\n", "GET", "k")
}
