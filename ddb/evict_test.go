package ddb

import (
	"fmt"
	"strings"
	"testing"
)

const oom = "-OOM command not allowed when used memory > 'maxmemory'.\r\n"

// sized makes a shard whose limit fits so many keys of one byte with values of this length.
func sized(t *testing.T, keys, length int, config Config) *shardBench {
	t.Helper()
	b := newShardBench(t, config)
	b.limitKept = true
	b.budget.limit.Store(int64(keys) * b.records.costOf(1, length))
	return b
}

func (b *shardBench) has(key string) bool { return b.records.find([]byte(key)) != nil }

// TestLRU: with as many samples as keys, the least recently used key is evicted. Reading and
// writing are uses; TTL, EXISTS and TYPE are not.
func TestLRU(t *testing.T) {
	everywhere(t, func(t *testing.T, values Values) {
		b := sized(t, 5, 40, Config{Values: values, MaxMemoryPolicy: AllKeysLRU, MaxMemorySamples: 1000})
		value := strings.Repeat("v", 40)
		step := func(args ...string) {
			b.t.Helper()
			b.time += 1 << tickBits
			if got := b.do(args...); strings.HasPrefix(got, "-") {
				t.Fatalf("%v: %q", args, got)
			}
		}
		for _, key := range []string{"a", "b", "c", "d", "e"} {
			step("set", key, value)
		}
		step("get", "a")
		step("append", "b", "")
		step("ttl", "c")
		step("type", "c")
		step("getset", "d", value)
		for _, want := range []string{"c", "e", "a", "b", "d"} {
			if !b.has(want) {
				t.Fatalf("%q was evicted before its turn", want)
			}
			step("set", strings.ToUpper(want), value)
			if b.has(want) {
				t.Errorf("%q was not evicted in its turn", want)
			}
		}
		if b.stats.evicted != 5 || len(b.entries) != 5 {
			t.Errorf("%d keys were evicted, and %d are left", b.stats.evicted, len(b.entries))
		}
	})
}

// TestApproximatedLRU: with five samples, nearly all evicted keys are of the older half.
func TestApproximatedLRU(t *testing.T) {
	b := newShardBench(t, Config{MaxMemoryPolicy: AllKeysLRU})
	const keys = 2000
	for i := range keys {
		b.time += 1 << tickBits
		b.do("set", fmt.Sprintf("k%04d", i), "v")
	}
	b.budget.limit.Store(b.used)
	b.begin()
	old := 0
	for range keys / 4 {
		if b.evict(nil) == 0 {
			t.Fatal("nothing was evicted")
		}
	}
	b.end()
	b.check()
	for i := range keys / 2 {
		if b.has(fmt.Sprintf("k%04d", i)) {
			old++
		}
	}
	if evicted := keys/2 - old; evicted < keys/4*9/10 {
		t.Errorf("of %d that were evicted, %d are of the older half", keys/4, evicted)
	}
}

// TestVolatileTTL: the key with the earliest deadline is evicted, keys without a deadline never.
func TestVolatileTTL(t *testing.T) {
	everywhere(t, func(t *testing.T, values Values) {
		b := sized(t, 4, 40, Config{Values: values, MaxMemoryPolicy: VolatileTTL})
		value := strings.Repeat("v", 40)
		b.do("set", "a", value)
		b.do("set", "b", value, "ex", "300")
		b.do("set", "c", value, "ex", "100")
		b.do("set", "d", value, "ex", "200")
		for _, step := range []struct{ set, gone string }{{"e", "c"}, {"f", "d"}, {"g", "b"}} {
			if got := b.do("set", step.set, value); got != "+OK\r\n" || b.has(step.gone) {
				t.Fatalf("set %s: %q, and %q is there: %v", step.set, got, step.gone, b.has(step.gone))
			}
		}
		if got := b.do("set", "h", value); got != oom || len(b.entries) != 4 || !b.has("a") {
			t.Errorf("with nothing that expires: %q, %d keys", got, len(b.entries))
		}
		b.do("persist", "a")
		b.do("expire", "a", "1000")
		if got := b.do("set", "h", value); got != "+OK\r\n" || b.has("a") {
			t.Errorf("%q after a key got a deadline", got)
		}
	})
}

// TestFirstToExpireExceptOne: the key that is being written is not evicted, even if its deadline is
// the earliest.
func TestFirstToExpireExceptOne(t *testing.T) {
	b := newShardBench(t, Config{MaxMemoryPolicy: VolatileTTL})
	for i, key := range []string{"a", "b", "c", "d"} {
		b.do("set", key, "v", "ex", fmt.Sprint(100+i))
	}
	find := func(key string) *entry { return b.records.find([]byte(key)) }
	for _, test := range [][2]string{{"a", "b"}, {"b", "a"}} {
		if e := b.firstToExpire(find(test[0])); b.records.key(e) != test[1] {
			t.Errorf("except for %q, the first to expire is %q", test[0], b.records.key(e))
		}
	}
	b.do("expire", "b", "105")
	if e := b.firstToExpire(find("a")); b.records.key(e) != "c" {
		t.Errorf("the first to expire is %q, want c", b.records.key(e))
	}
}

// TestNoEviction: a command that does not fit is refused and changes nothing; a command that needs
// no more memory is executed.
func TestNoEviction(t *testing.T) {
	everywhere(t, func(t *testing.T, values Values) {
		b := sized(t, 2, 40, Config{Values: values})
		value, long := strings.Repeat("v", 40), strings.Repeat("w", 4000)
		for _, step := range []struct {
			want string
			args []string
		}{
			{"+OK\r\n", []string{"set", "a", value}},
			{"+OK\r\n", []string{"set", "b", value}},
			{oom, []string{"set", "c", "1"}},
			{oom, []string{"set", "c", "1", "get"}},
			{oom, []string{"setnx", "c", "1"}},
			{oom, []string{"getset", "c", "1"}},
			{oom, []string{"append", "c", "1"}},
			{oom, []string{"incr", "c"}},
			{oom, []string{"decrby", "c", "2"}},
			{oom, []string{"set", "a", long}},
			{oom, []string{"getset", "a", long}},
			{oom, []string{"append", "a", long}},
			{"+OK\r\n", []string{"set", "a", strings.ToUpper(value)}}, // as large as before
			{bulk(strings.ToUpper(value)), []string{"getset", "a", value}},
			{bulk(value), []string{"get", "a"}},
			{":1\r\n", []string{"expire", "b", "100"}},
			{"$-1\r\n", []string{"get", "c"}},
		} {
			if got := b.do(step.args...); got != step.want {
				t.Errorf("%.40q: %q, want %q", step.args, got, step.want)
			}
		}
		b.part(del, "del", "a")
		if got := b.do("set", "c", value); got != "+OK\r\n" {
			t.Errorf("with room again: %q", got)
		}
	})
}

// TestArenaIsFull has no limit, so the arena runs out of blocks. If the policy allows it, keys are
// evicted; otherwise commands are refused and change nothing.
func TestArenaIsFull(t *testing.T) {
	for _, policy := range []Policy{NoEviction, AllKeysLRU} {
		b := newShardBench(t, Config{Values: OffHeap, MaxMemory: 1, MaxMemoryPolicy: policy})
		b.budget.limit.Store(0)
		value := strings.Repeat("v", leastArena/8-10) // 8 of these fill it
		for i := range 8 {
			if got := b.do("set", fmt.Sprint(i), value); got != "+OK\r\n" {
				t.Fatalf("%s: set %d: %q", policy, i, got)
			}
		}
		want := "+OK\r\n"
		if policy == NoEviction {
			want = oom
		}
		for _, args := range [][]string{{"set", "x", value}, {"setnx", "y", value}, {"set", "0", value + value}, {"set", "2", value + value, "get"}} {
			if got := b.do(args...); got != want && !(policy == AllKeysLRU && !strings.HasPrefix(got, "-")) {
				t.Errorf("%s: %.20q: %.60q, want %q", policy, args, got, want)
			}
		}
		if policy == NoEviction {
			for _, args := range [][]string{{"getset", "1", value + value}, {"append", "1", value}} {
				if got := b.do(args...); got != oom {
					t.Errorf("%.20q: %.60q", args, got)
				}
			}
			g := &group{batch: newBatch()}
			g.tasks = []task{{cmd: commands["mset"], part: &part{effect: mset, picks: []int{1, 3}}, args: words([]string{"mset", "a", "fits", "b", value})}}
			b.part(del, "del", "7")
			b.do("set", "7", value[:len(value)/2-10]) // which leaves room for one as long
			b.runGroup(g)
			if !g.tasks[0].part.refused || b.has("a") || b.has("b") {
				t.Errorf("MSET of two of which one has no room: refused %v, there are %v and %v", g.tasks[0].part.refused, b.has("a"), b.has("b"))
			}
			if len(b.entries) != 8 || b.do("get", "1") != bulk(value) {
				t.Errorf("%d keys are left", len(b.entries))
			}
		} else if b.stats.evicted == 0 {
			t.Error("nothing was evicted")
		}
	}
}
