package ddb

import (
	"io"
	"strings"
	"testing"
)

// TestSteadyStateAllocations: a pipeline of SET, GET and STRLEN on existing keys allocates nothing,
// from the read to the replies, for any shards, for both places of values, and under a limit.
func TestSteadyStateAllocations(t *testing.T) {
	for _, config := range []Config{{}, {Values: OffHeap, MaxMemory: 1 << 20}, {MaxMemory: 1 << 20, MaxMemoryPolicy: AllKeysLRU}} {
		config.Shards = 3
		testSteadyState(t, config)
	}
}

func testSteadyState(t *testing.T, config Config) {
	_, addr := serve(t, config)
	c := dial(t, addr)
	keys := []string{"a", "b", "c", "d", "e", "f", "g", "h"}
	var pipeline strings.Builder
	for _, key := range keys {
		pipeline.WriteString(request("set", key, "value") + request("get", key) + request("strlen", key))
	}
	c.send(pipeline.String())
	size := 0
	for range 3 * len(keys) {
		size += len(c.reply())
	}
	out, in := []byte(pipeline.String()), make([]byte, size)
	round := func() {
		c.conn.Write(out)
		if _, err := io.ReadFull(c.in, in); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		round()
	}
	if got := testing.AllocsPerRun(1000, round); got >= 1 {
		t.Errorf("%v allocations for a pipeline of %d commands", got, 3*len(keys))
	}
}
