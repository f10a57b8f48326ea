package ddb

import (
	"fmt"
	"strings"
	"testing"
)

// FuzzShardMemory runs bytes as commands on a shard with little memory, and on a plain map. Values
// in the shard are those written; without eviction all of them are there. After each command the
// limit holds and the accounts are exact.
func FuzzShardMemory(f *testing.F) {
	f.Add([]byte{0, 9, 0, 1, 40, 0, 2, 90, 3, 1, 7, 4, 1, 200})
	f.Add([]byte{1, 9, 0, 1, 40, 0, 2, 90, 3, 1, 7, 4, 1, 200, 8, 3, 99, 2, 4, 4, 1, 1, 1})
	f.Add([]byte{3, 20, 0, 1, 40, 0, 2, 90, 0, 3, 200, 5, 1, 1, 6, 2, 30, 7, 0, 20, 8, 2, 250, 4, 2, 250})
	f.Add([]byte{5, 20, 6, 1, 40, 6, 2, 90, 0, 3, 200, 5, 1, 1, 6, 2, 30, 7, 0, 20, 8, 2, 250, 4, 2, 250})
	f.Fuzz(func(t *testing.T, program []byte) {
		if len(program) < 2 {
			return
		}
		values := []Values{OnHeap, OffHeap}[program[0]%2]
		policy := policies[program[0]/2%3]
		b := newShardBench(t, Config{Values: values, MaxMemory: 1, MaxMemoryPolicy: policy, MaxMemorySamples: 1 + int(program[0]>>4)})
		b.budget.limit.Store(300 * (1 + int64(program[1])))
		b.limitKept = true
		type value struct {
			text     string
			deadline int64
		}
		model := map[string]value{}
		for rest := program[2:]; len(rest) >= 3; rest = rest[3:] {
			key, other, text := fmt.Sprint(rest[1]%16), fmt.Sprint(rest[1]/16), strings.Repeat(string('a'+rest[2]%26), 3*int(rest[2]))
			var reply string
			var wrote []string // keys that were given text
			switch rest[0] % 9 {
			case 0:
				if reply = b.do("set", key, text); reply == "+OK\r\n" {
					model[key] = value{text, 0}
				}
			case 1:
				if reply = b.do("setnx", key, text); reply == ":1\r\n" {
					model[key] = value{text, 0}
				}
			case 2:
				if reply = b.do("getset", key, text); !strings.HasPrefix(reply, "-") {
					model[key] = value{text, 0}
				}
			case 3:
				if reply = b.do("append", key, text); strings.HasPrefix(reply, ":") {
					old := model[key]
					if want := fmt.Sprintf(":%d\r\n", len(old.text)+len(text)); reply != want {
						old = value{} // it was evicted, or has expired
						if reply != fmt.Sprintf(":%d\r\n", len(text)) {
							t.Fatalf("append: %q, want %q", reply, want)
						}
					}
					model[key] = value{old.text + text, old.deadline}
				}
			case 4:
				b.part(del, "del", key)
				delete(model, key)
			case 5:
				b.time += int64(rest[2])
			case 6:
				if reply = b.do("set", key, text, "px", fmt.Sprint(1+int(rest[1]))); reply == "+OK\r\n" {
					model[key] = value{text, b.time + 1 + int64(rest[1])}
				}
			case 7:
				reply = b.do("get", key)
				if v, ok := model[key]; ok && reply != "$-1\r\n" && reply != bulk(v.text) {
					t.Fatalf("get %s: %.40q, want %.40q", key, reply, v.text)
				}
			case 8:
				g := &group{batch: newBatch()}
				p := &part{effect: mset, picks: []int{1, 3}}
				g.tasks = []task{{cmd: commands["mset"], part: p, args: words([]string{"mset", key, text, other, text})}}
				b.runGroup(g)
				b.check()
				if !p.refused {
					wrote = []string{key, other}
				}
			}
			for _, k := range wrote {
				model[k] = value{text, 0}
			}
			if strings.HasPrefix(reply, "-") && reply != oom {
				t.Fatalf("%d %s: %q", rest[0]%9, key, reply)
			}
			b.begin()
			for k, v := range model {
				e := b.find([]byte(k))
				switch {
				case e != nil && string(b.records.value(e)) != v.text:
					t.Fatalf("%s is %.40q, want %.40q", k, b.records.value(e), v.text)
				case e != nil:
				case v.deadline != 0 && v.deadline <= b.time, policy == AllKeysLRU, policy == VolatileTTL && v.deadline != 0:
					delete(model, k)
				default:
					t.Fatalf("%s is gone", k)
				}
			}
			b.end()
			b.check()
			if len(model) != len(b.entries) {
				t.Fatalf("%d keys are there, %d were written", len(b.entries), len(model))
			}
		}
	})
}
