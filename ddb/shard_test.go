package ddb

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// shardBench is a shard without a server. The test sets its clock.
type shardBench struct {
	t testing.TB
	shard
	time      int64
	limitKept bool // check holds the shard to the limit
}

// newShardBench makes a shard with a budget of its own. The end of the test checks that no block is
// left off the heap.
func newShardBench(t testing.TB, config Config) *shardBench {
	t.Helper()
	config.Shards = 1
	limit := config.MaxMemory
	if limit == 0 {
		config.MaxMemory = 8 << 20 // a small arena: under the race detector it is on Go's heap
	}
	config, err := config.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	budget, arena, err := config.memory()
	if err != nil {
		t.Fatal(err)
	}
	budget.limit.Store(limit)
	b := &shardBench{t: t, time: 1_000_000}
	b.shard = newShard(func() int64 { return b.time }, newRecords(arena), budget, 0)
	t.Cleanup(func() {
		if arena == nil {
			return
		}
		if live := arena.Usage().Blocks; live != int64(len(b.entries)) {
			t.Errorf("%d blocks are live for %d keys", live, len(b.entries))
		}
		b.records.clear()
		if err := arena.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// everywhere runs a test for each place of values.
func everywhere(t *testing.T, test func(t *testing.T, values Values)) {
	for _, values := range []Values{OnHeap, OffHeap} {
		t.Run(string(values), func(t *testing.T) { test(t, values) })
	}
}

// newBatch makes a batch for tests that run groups by themselves.
func newBatch() *batch {
	r := &batch{done: make(chan struct{}, 1), halts: make([]bool, 1), replyMemory: replyMemory{limit: 1 << 30}}
	r.pending.Store(1)
	return r
}

// do runs a command on one key as a message of its own, and returns the reply.
func (b *shardBench) do(args ...string) string {
	b.t.Helper()
	c, msg := resolve(words(args))
	if c == nil {
		return "-" + msg + "\r\n"
	}
	if c.keyed == nil {
		b.t.Fatalf("%s is no command of one key", args[0])
	}
	g := &group{tasks: []task{{cmd: c, effect: c.keyed, args: words(args)}}, batch: newBatch()}
	b.runGroup(g)
	reply := string(g.out.buf)
	if tail := g.tasks[0].tail; tail != nil {
		reply += string(tail) + "\r\n"
	}
	b.check()
	return reply
}

// part runs one shard's part of a command of several keys.
func (b *shardBench) part(effect func(*shard, [][]byte, *part), args ...string) *part {
	p := &part{effect: effect, values: make([][]byte, len(args)), group: &group{batch: newBatch()}}
	for i := 1; i < len(args); i++ {
		p.picks = append(p.picks, i)
	}
	b.begin()
	effect(&b.shard, words(args), p)
	b.end()
	b.check()
	return p
}

// check checks the shard's invariants.
func (b *shardBench) check() {
	b.t.Helper()
	chained := 0
	for i, p := range b.records.index.directory {
		if i > 0 && p == b.records.index.directory[i-1] {
			continue // the page was counted
		}
		chained += int(p.used)
	}
	if chained != len(b.entries) {
		b.t.Fatalf("%d keys in the table, %d entries", chained, len(b.entries))
	}
	expiring, used, volatile := 0, int64(0), int64(0)
	for i, id := range b.entries {
		e := b.records.at(id)
		key := b.records.key(e)
		if b.records.find([]byte(key)) != e || e.position != int32(i) || e.id != id {
			b.t.Fatalf("entry %d (%q) is at position %d", i, key, e.position)
		}
		if len(b.records.value(e)) != int(e.length) {
			b.t.Fatalf("%q is %d bytes long, and says %d", key, len(b.records.value(e)), e.length)
		}
		if int(e.expiry) >= len(b.expiring) {
			b.t.Fatalf("%q is at %d of %d expiring", key, e.expiry, len(b.expiring))
		}
		used += int64(e.cost)
		if e.expiry >= 0 {
			expiring++
			volatile += int64(e.cost)
			if b.expiring[e.expiry].id != id || b.expiring[(e.expiry-1)/2].deadline > b.deadline(e) {
				b.t.Fatalf("%q is misplaced among the expiring", key)
			}
		}
	}
	if used != b.used || volatile != b.volatile || uint64(used) != b.account.used.Load() {
		b.t.Fatalf("%d bytes used, %d of entries that expire; the shard says %d and %d, its account %d", used, volatile, b.used, b.volatile, b.account.used.Load())
	}
	if reserved := b.budget.reserved.Load(); b.reservation != 0 || reserved != used+b.account.credit.Load() {
		b.t.Fatalf("%d bytes are reserved, %d used, %d are credit, and %d in the reservation", reserved, used, b.account.credit.Load(), b.reservation)
	}
	if limit := b.budget.limit.Load(); limit > 0 && b.budget.reserved.Load() > limit && b.limitKept {
		b.t.Fatalf("%d bytes are reserved, the limit is %d", b.budget.reserved.Load(), limit)
	}
	if expiring != len(b.expiring) {
		b.t.Fatalf("%d entries expire, %d are listed", expiring, len(b.expiring))
	}
	earliest := int64(never)
	if expiring > 0 {
		earliest = b.expiring[0].deadline
	}
	if got := b.earliest.Load(); got != earliest {
		b.t.Fatalf("the earliest deadline is %d, published is %d", earliest, got)
	}
}

func words(args []string) [][]byte {
	var b [][]byte
	for _, arg := range args {
		b = append(b, []byte(arg))
	}
	return b
}

// TestShardCommands is a script with the replies of a redis-server. TestAgainstRedis has more and
// compares with a real one; this test runs everywhere, and has a clock.
func TestShardCommands(t *testing.T) {
	const (
		ok, null   = "+OK\r\n", "$-1\r\n"
		notInteger = "-ERR value is not an integer or out of range\r\n"
		syntax     = "-ERR syntax error\r\n"
		invalid    = "-ERR invalid expire time in 'set' command\r\n"
	)
	long := strings.Repeat("x", shareable+1)
	everywhere(t, func(t *testing.T, values Values) {
		b := newShardBench(t, Config{Values: values})
		for _, step := range []struct{ request, want string }{
			{"get", "-ERR wrong number of arguments for 'get' command\r\n"},
			{"nosuch a b", "-ERR unknown command 'nosuch', with args beginning with: 'a' 'b' \r\n"},
			{"get k", null},
			{"set k v", ok},
			{"GET k", "$1\r\nv\r\n"},
			{"set k " + long, ok},
			{"get k", bulk(long)},
			{"append k y", ":514\r\n"},
			{"get k", bulk(long + "y")},
			{"set k v", ok},
			{"strlen k", ":1\r\n"},
			{"set k w nx", null},
			{"set k w xx get", "$1\r\nv\r\n"},
			{"set other w xx", null},
			{"set k w ex", syntax},
			{"set k w nx xx", syntax},
			{"set k w ex 1 px 1", syntax},
			{"set k w ex 0", invalid},
			{"set k w ex 9223372036854775807", invalid},
			{"set k w px 9223372036854775807", invalid},
			{"set k w ex x", notInteger},
			{"set k 10 ex 100", ok},
			{"ttl k", ":100\r\n"},
			{"pttl k", ":100000\r\n"},
			{"incr k", ":11\r\n"},
			{"ttl k", ":100\r\n"},
			{"set k 12 keepttl", ok},
			{"ttl k", ":100\r\n"},
			{"persist k", ":1\r\n"},
			{"persist k", ":0\r\n"},
			{"ttl k", ":-1\r\n"},
			{"ttl nothing", ":-2\r\n"},
			{"set n 9223372036854775807", ok},
			{"incr n", "-ERR increment or decrement would overflow\r\n"},
			{"decrby n -1", "-ERR increment or decrement would overflow\r\n"},
			{"decrby n -9223372036854775808", "-ERR decrement would overflow\r\n"},
			{"incrby n 1x", notInteger},
			{"set n x", ok},
			{"incr n", notInteger},
			{"expire k 10 nx", ":1\r\n"},
			{"expire k 20 nx", ":0\r\n"},
			{"expire k 5 gt", ":0\r\n"},
			{"expire k 5 lt", ":1\r\n"},
			{"expire k 5 nx gt", "-ERR NX and XX, GT or LT options at the same time are not compatible\r\n"},
			{"expire k 5 gt lt", "-ERR GT and LT options at the same time are not compatible\r\n"},
			{"expire k 5 foo", "-ERR Unsupported option foo\r\n"},
			{"expire k 9223372036854775807", "-ERR invalid expire time in 'expire' command\r\n"},
			{"pexpire k 1500", ":1\r\n"},
			{"ttl k", ":2\r\n"},
			{"expire k 0", ":1\r\n"},
			{"type k", "+none\r\n"},
			{"type n", "+string\r\n"},
			{"getset n a", "$1\r\nx\r\n"},
			{"setnx n b", ":0\r\n"},
			{"setnx m b", ":1\r\n"},
		} {
			if got := b.do(strings.Fields(step.request)...); got != step.want {
				t.Errorf("%s: %q, want %q", step.request, got, step.want)
			}
		}
	})
}

// TestRepliesAreSnapshots: a reply does not change when its value changes afterwards, although long
// values are not copied.
func TestRepliesAreSnapshots(t *testing.T) {
	everywhere(t, testSnapshots)
}

func testSnapshots(t *testing.T, values Values) {
	for _, size := range []int{0, 3, shareable, shareable + 1, 10_000, longCopy + 1} {
		for _, change := range []string{"set k z", "append k z", "getset k z", "set k " + strings.Repeat("z", size)} {
			fields := strings.Fields(change)
			if len(fields) < 3 {
				continue
			}
			b := newShardBench(t, Config{Values: values})
			value := strings.Repeat("v", size)
			b.do("set", "k", value)
			b.do("append", "k", "") // may leave spare room behind the value
			g := &group{batch: newBatch()}
			g.tasks = []task{
				{effect: get, args: words([]string{"get", "k"})},
				{effect: lookup(commands, []byte(fields[0])).keyed, args: words(fields)},
				{effect: appendTo, args: words([]string{"append", "k", "more"})},
			}
			part := b.part(mget, "mget", "k")
			b.runGroup(g)
			first := g.tasks[0]
			got := string(g.out.buf[first.start:first.end])
			if first.tail != nil {
				got += string(first.tail) + "\r\n"
			}
			if got != bulk(value) {
				t.Errorf("a value of %d bytes and %.20s: the reply became %.60q", size, change, got)
			}
			if string(part.values[1]) != value {
				t.Errorf("a value of %d bytes and %.20s: MGET's reply became %.60q", size, change, part.values[1])
			}
		}
	}
}

// TestShardAgainstModel runs random commands on a shard and on a plain map.
func TestShardAgainstModel(t *testing.T) {
	everywhere(t, testAgainstModel)
}

func testAgainstModel(t *testing.T, values Values) {
	seed := rand.Uint64()
	random := rand.New(rand.NewPCG(seed, 0))
	type value struct {
		text     string
		deadline int64
	}
	b, model := newShardBench(t, Config{Values: values}), map[string]value{}
	b.records.hasher.mask = 7 // so that keys collide
	for step := range 20_000 {
		key := strconv.Itoa(random.IntN(40))
		if v, ok := model[key]; ok && v.deadline != 0 && v.deadline < b.time {
			delete(model, key)
		}
		v, present := model[key]
		var request, want string
		switch random.IntN(7) {
		case 0:
			request, want = fmt.Sprintf("set %s %d", key, step), "+OK\r\n"
			model[key] = value{strconv.Itoa(step), 0}
		case 1:
			ms := 1 + random.IntN(300)
			request, want = fmt.Sprintf("set %s %d px %d", key, step, ms), "+OK\r\n"
			model[key] = value{strconv.Itoa(step), b.time + int64(ms)}
		case 2:
			request, want = "get "+key, "$-1\r\n"
			if present {
				want = bulk(v.text)
			}
		case 3:
			ms := random.IntN(300) - 20
			request, want = fmt.Sprintf("pexpire %s %d", key, ms), ":0\r\n"
			if present {
				want = ":1\r\n"
				model[key] = value{v.text, b.time + int64(ms)}
				if ms <= 0 {
					delete(model, key)
				}
			}
		case 4:
			request, want = "persist "+key, ":0\r\n"
			if present && v.deadline != 0 {
				want = ":1\r\n"
				model[key] = value{v.text, 0}
			}
		case 5:
			n := b.part(del, "del", key).count
			if (n == 1) != present {
				t.Fatalf("seed %d, step %d: del %s: %d, present was %v", seed, step, key, n, present)
			}
			delete(model, key)
			continue
		case 6:
			b.time += int64(random.IntN(20))
			if random.IntN(2) == 0 {
				b.begin()
				b.sweep(random.IntN(5))
				b.end()
				b.check()
			}
			continue
		}
		if got := b.do(strings.Fields(request)...); got != want {
			t.Fatalf("seed %d, step %d: %s: %q, want %q", seed, step, request, got, want)
		}
	}
}
