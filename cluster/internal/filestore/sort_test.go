//go:build !wasm

package filestore

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// TestSort holds that a batch has the writes in the order of their keys, and of each key the last
// one: for keys that differ early, late, and in their length alone.
func TestSort(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 2000 {
		begins := bytes.Repeat([]byte{'a'}, random.IntN(12))
		var puts []put
		var all []engine.Write
		for range random.IntN(20) {
			var writes []engine.Write
			for range random.IntN(3) {
				key := slices.Clone(begins)
				for range 1 + random.IntN(12) {
					key = append(key, byte(random.IntN(2)*random.IntN(256)))
				}
				writes = append(writes, engine.Write{Key: key, Value: fmt.Append(nil, len(all)+len(writes))})
			}
			all = append(all, writes...)
			puts = append(puts, put{writes: writes})
		}
		slices.SortStableFunc(all, func(a, b engine.Write) int { return bytes.Compare(a.Key, b.Key) })
		var want []string
		size := 0
		for i, w := range all {
			if i+1 == len(all) || !bytes.Equal(w.Key, all[i+1].Key) {
				want = append(want, fmt.Sprintf("%q %s", w.Key, w.Value))
				size += len(w.Key) + len(w.Value)
			}
		}
		var b batch
		got := []string(nil)
		if n := b.fill(puts); n != size {
			t.Errorf("round %d: %d bytes, want %d", round, n, size)
		}
		for _, w := range b.writes {
			got = append(got, fmt.Sprintf("%q %s", w.Key, w.Value))
		}
		if !slices.Equal(got, want) {
			t.Fatalf("round %d: %v, want %v", round, got, want)
		}
		if b.empty(); slices.ContainsFunc(b.all, isWrite) || slices.ContainsFunc(b.writes, isWrite) {
			t.Error("it holds what it had")
		}
	}
}

func isWrite(w engine.Write) bool { return w.Key != nil }
