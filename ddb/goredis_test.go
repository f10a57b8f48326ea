package ddb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// connect makes a client of the library that most Go programs use, with its default options.
func connect(t testing.TB, addr string) (*redis.Client, context.Context) {
	t.Helper()
	db := redis.NewClient(&redis.Options{Addr: addr})
	t.Cleanup(func() { db.Close() })
	ctx, cancel := context.WithTimeout(context.Background(), patienceOfTests)
	t.Cleanup(cancel)
	return db, ctx
}

// TestGoRedis goes through every command with the library's own methods, which parse the replies.
func TestGoRedis(t *testing.T) {
	_, addr := serve(t, Config{Shards: 4})
	db, ctx := connect(t, addr)
	for _, step := range []struct {
		name string
		cmd  redis.Cmder
		want string
	}{
		{"ping", db.Ping(ctx), "ping: PONG"},
		{"echo", db.Echo(ctx, "hello"), "echo hello: hello"},
		{"set", db.Set(ctx, "k", "v", time.Minute), "set k v ex 60: OK"},
		{"get", db.Get(ctx, "k"), "get k: v"},
		{"ttl", db.TTL(ctx, "k"), "ttl k: 1m0s"},
		{"persist", db.Persist(ctx, "k"), "persist k: true"},
		{"ttl", db.TTL(ctx, "k"), "ttl k: -1ns"},
		{"expire", db.Expire(ctx, "k", time.Hour), "expire k 3600: true"},
		{"pexpire", db.PExpire(ctx, "k", time.Hour), "pexpire k 3600000: true"},
		{"setnx", db.SetNX(ctx, "k", "w", 0), "setnx k w: false"},
		{"set xx", db.SetXX(ctx, "k", "w", redis.KeepTTL), "set k w keepttl xx: true"},
		{"set get", db.SetArgs(ctx, "k", "x", redis.SetArgs{Get: true}), "set k x get: w"},
		{"getset", db.GetSet(ctx, "k", "y"), "getset k y: x"},
		{"append", db.Append(ctx, "k", "z"), "append k z: 2"},
		{"strlen", db.StrLen(ctx, "k"), "strlen k: 2"},
		{"incr", db.Incr(ctx, "n"), "incr n: 1"},
		{"incrby", db.IncrBy(ctx, "n", 10), "incrby n 10: 11"},
		{"decr", db.Decr(ctx, "n"), "decr n: 10"},
		{"decrby", db.DecrBy(ctx, "n", 4), "decrby n 4: 6"},
		{"mset", db.MSet(ctx, "a", 1, "b", 2, "c", 3), "mset a 1 b 2 c 3: OK"},
		{"mget", db.MGet(ctx, "a", "none", "c"), "mget a none c: [1 <nil> 3]"},
		{"exists", db.Exists(ctx, "a", "b", "none"), "exists a b none: 2"},
		{"del", db.Del(ctx, "a", "b", "none"), "del a b none: 2"},
		{"type", db.Type(ctx, "c"), "type c: string"},
		{"dbsize", db.DBSize(ctx), "dbsize: 3"},
		{"client id", db.ClientID(ctx), ""},
		{"client list", db.ClientList(ctx), ""},
		{"client info", db.ClientInfo(ctx), ""},
		{"config get", db.ConfigGet(ctx, "maxmemory"), "config get maxmemory: map[maxmemory:0]"},
		{"flushdb", db.FlushDB(ctx), "flushdb: OK"},
		{"flushall", db.FlushAll(ctx), "flushall: OK"},
	} {
		if err := step.cmd.Err(); err != nil {
			t.Errorf("%s: %v", step.name, err)
		} else if step.want != "" && step.cmd.String() != step.want {
			t.Errorf("%s: %q, want %q", step.name, step.cmd, step.want)
		}
	}
	if err := db.Get(ctx, "none").Err(); !errors.Is(err, redis.Nil) {
		t.Errorf("GET of nothing: %v", err)
	}
	if err := db.Do(ctx, "nosuch").Err(); err == nil || !strings.HasPrefix(err.Error(), "ERR unknown command") {
		t.Errorf("an unknown command: %v", err)
	}
}

// TestGoRedisScan iterates with the library's iterator, over all shards.
func TestGoRedisScan(t *testing.T) {
	_, addr := serve(t, Config{Shards: 4})
	db, ctx := connect(t, addr)
	var want, got []string
	for i := range 500 {
		want = append(want, fmt.Sprint("key", i))
		if err := db.Set(ctx, want[i], i, 0).Err(); err != nil {
			t.Fatal(err)
		}
	}
	db.Set(ctx, "other", "x", 0)
	iterator := db.Scan(ctx, 0, "key*", 7).Iterator()
	for iterator.Next(ctx) {
		got = append(got, iterator.Val())
	}
	sort.Strings(want)
	sort.Strings(got)
	if err := iterator.Err(); err != nil || !slices.Equal(slices.Compact(got), want) {
		t.Errorf("%d keys, want %d, %v", len(got), len(want), err)
	}
	if keys, _, err := db.ScanType(ctx, 0, "*", 1000, "list").Result(); err != nil || len(keys) != 0 {
		t.Errorf("lists: %v, %v", keys, err)
	}
}

// TestGoRedisPipelines: many goroutines, one pool, pipelines.
func TestGoRedisPipelines(t *testing.T) {
	_, addr := serve(t, Config{Shards: 4, Processors: 4})
	db, ctx := connect(t, addr)
	var workers sync.WaitGroup
	for n := range 8 {
		workers.Go(func() {
			for range 20 {
				var results []*redis.IntCmd
				_, err := db.Pipelined(ctx, func(p redis.Pipeliner) error {
					for range 50 {
						results = append(results, p.Incr(ctx, fmt.Sprint("counter", n)))
					}
					return nil
				})
				if err != nil {
					t.Error(err)
					return
				}
				for i := range results[1:] {
					if results[i+1].Val() != results[i].Val()+1 {
						t.Errorf("%d after %d", results[i+1].Val(), results[i].Val())
					}
				}
			}
		})
	}
	workers.Wait()
	for n := range 8 {
		if got, err := db.Get(ctx, fmt.Sprint("counter", n)).Int(); got != 1000 || err != nil {
			t.Errorf("counter%d is %d, %v", n, got, err)
		}
	}
}

// TestCommandTable compares the reply to COMMAND, as the library parses it, with that of a
// redis-server.
func TestCommandTable(t *testing.T) {
	theirs, ctx := connect(t, startRedis(t))
	_, addr := serve(t, Config{})
	ours, _ := connect(t, addr)
	want, err := theirs.Command(ctx).Result()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ours.Command(ctx).Result()
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(commands) {
		t.Errorf("%d commands, want %d", len(got), len(commands))
	}
	for name, our := range got {
		their := want[name]
		if their == nil {
			t.Errorf("%s is no command of Redis", name)
			continue
		}
		for _, list := range [][]string{our.Flags, their.Flags, our.ACLFlags, their.ACLFlags} {
			sort.Strings(list)
		}
		if fmt.Sprint(*our) != fmt.Sprint(*their) {
			t.Errorf("%s\n ours:  %+v\n redis: %+v", name, *our, *their)
		}
	}
}
