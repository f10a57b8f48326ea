package ddb

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// TestPipelineOrder: replies come in the order of the requests. Every command, on however many
// shards, sees all that its connection sent before it and nothing that it sent after.
func TestPipelineOrder(t *testing.T) {
	_, addr := serve(t, Config{Shards: 7, Processors: 4})
	var clients sync.WaitGroup
	for n := range 4 {
		c := dial(t, addr)
		clients.Go(func() {
			for range 5 {
				pipelineOnce(t, c, fmt.Sprint("client", n, ":"))
			}
		})
	}
	clients.Wait()
}

// pipelineOnce sends a random pipeline on keys of its own, and compares each reply with that of a
// map; the reply of KEYS without order.
func pipelineOnce(t *testing.T, c *client, prefix string) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	key := func() string { return fmt.Sprint(prefix, random.IntN(30)) }
	model := map[string]string{}
	var (
		pipeline strings.Builder
		wants    []string
		keys     []bool // by reply: it is one of KEYS, which has an order of its own
	)
	add := func(want string, args ...string) {
		pipeline.WriteString(request(args...))
		wants, keys = append(wants, want), append(keys, args[0] == "keys")
	}
	lookup := func(k string) string {
		if v, ok := model[k]; ok {
			return bulk(v)
		}
		return "$-1\r\n"
	}
	all := []string{"del"}
	for i := range 30 {
		all = append(all, fmt.Sprint(prefix, i))
	}
	pipeline.WriteString(request(all...))
	for step := range 2000 { // more than one batch
		switch random.IntN(8) {
		case 0, 1:
			k, v := key(), strings.Repeat(fmt.Sprint(step), 1+random.IntN(300))
			model[k] = v
			add("+OK\r\n", "set", k, v)
		case 2:
			k := key()
			add(lookup(k), "get", k)
		case 3:
			a, b, c := key(), key(), key()
			add("*3\r\n"+lookup(a)+lookup(b)+lookup(c), "mget", a, b, c)
		case 4:
			a, b := key(), key()
			model[a] = "1"
			model[b] = "2"
			add("+OK\r\n", "mset", a, "1", b, "2")
		case 5:
			a, b := key(), key()
			n := 0
			for _, k := range []string{a, b} {
				if _, ok := model[k]; ok {
					n++
				}
				delete(model, k)
			}
			add(fmt.Sprintf(":%d\r\n", n), "del", a, b)
		case 6:
			add(bulk(fmt.Sprint(step)), "echo", fmt.Sprint(step))
		case 7:
			want := fmt.Sprintf("*%d\r\n", len(model))
			for k := range model {
				want += bulk(k)
			}
			add(want, "keys", prefix+"*")
		}
	}
	go c.send(pipeline.String())
	c.reply()
	for i, want := range wants {
		got := c.reply()
		if keys[i] {
			got, want = sortedReply(got), sortedReply(want)
		}
		if got != want {
			t.Errorf("seed %d, reply %d: %.200q, want %.200q", seed, i, got, want)
			return
		}
	}
}

// TestPipelineDBSize: DBSIZE counts, and FLUSHALL removes, what the commands before them in the
// pipeline have written, and nothing that comes behind.
func TestPipelineDBSize(t *testing.T) {
	_, addr := serve(t, Config{Shards: 7, Processors: 4})
	c := dial(t, addr)
	var pipeline, want strings.Builder
	for round := range 20 {
		for i := range 100 {
			pipeline.WriteString(request("set", fmt.Sprint(i), "v"))
			want.WriteString("+OK\r\n")
			if i%10 == 0 {
				pipeline.WriteString(request("dbsize"))
				fmt.Fprintf(&want, ":%d\r\n", i+1)
			}
		}
		pipeline.WriteString(request("flushall") + request("dbsize") + request("set", "k", fmt.Sprint(round)) +
			request("scan", "0", "count", "1000") + request("flushdb"))
		want.WriteString("+OK\r\n:0\r\n+OK\r\n")
	}
	go c.send(pipeline.String())
	var got strings.Builder
	for range 20 {
		for range 110 + 3 {
			got.WriteString(c.reply())
		}
		c.reply() // of SCAN, which looks at one shard
		c.reply()
	}
	if got.String() != want.String() {
		t.Error("the replies differ from the order of the pipeline")
	}
}

// TestSharedCounter: increments of many connections are neither lost nor doubled.
func TestSharedCounter(t *testing.T) {
	_, addr := serve(t, Config{Processors: 4})
	const connections, pipelines, depth = 8, 50, 16
	var clients sync.WaitGroup
	for range connections {
		c := dial(t, addr)
		clients.Go(func() {
			for range pipelines {
				c.send(strings.Repeat(request("incr", "counter"), depth))
				for range depth {
					c.reply()
				}
			}
		})
	}
	clients.Wait()
	dial(t, addr).expect(bulk(fmt.Sprint(connections*pipelines*depth)), "get", "counter")
}

// TestTwoServers: servers of one process share nothing.
func TestTwoServers(t *testing.T) {
	_, one := serve(t, Config{})
	_, two := serve(t, Config{Shards: 1, Processors: 1})
	dial(t, one).expect("+OK\r\n", "set", "k", "one")
	dial(t, two).expect("$-1\r\n", "get", "k")
	dial(t, one).expect(bulk("one"), "get", "k")
}
