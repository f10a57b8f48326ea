package keytable

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
)

// A lookup is a table of one of the kinds that the benchmarks compare.
type lookup[K comparable] struct {
	name   string
	load   func(K) *Entry[K]
	store  func(*Entry[K])
	delete func(*Entry[K])
}

// lookups returns empty ones. A map with a lock is what a program without them has.
func lookups[K comparable]() []lookup[K] {
	table := &Table[K]{}
	var synced sync.Map
	var lock sync.RWMutex
	locked := map[K]*Entry[K]{}
	return []lookup[K]{
		{"table", table.Load, func(e *Entry[K]) { table.LoadOrStore(e) }, func(e *Entry[K]) { table.Delete(e) }},
		{
			"sync.Map",
			func(key K) *Entry[K] {
				if e, ok := synced.Load(key); ok {
					return e.(*Entry[K])
				}
				return nil
			},
			func(e *Entry[K]) { synced.LoadOrStore(e.Key, e) },
			func(e *Entry[K]) { synced.CompareAndDelete(e.Key, e) },
		},
		{
			"map with RWMutex",
			func(key K) *Entry[K] {
				lock.RLock()
				defer lock.RUnlock()
				return locked[key]
			},
			func(e *Entry[K]) {
				lock.Lock()
				defer lock.Unlock()
				if locked[e.Key] == nil {
					locked[e.Key] = e
				}
			},
			func(e *Entry[K]) {
				lock.Lock()
				defer lock.Unlock()
				if locked[e.Key] == e {
					delete(locked, e.Key)
				}
			},
		},
	}
}

func name(i int) string { return fmt.Sprintf("account/%08d", i) }

func number(i int) uint64 { return uint64(i) * 0x9E3779B97F4A7C15 }

// BenchmarkLoad looks up keys at random.
func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{1000, 1_000_000} {
		b.Run(fmt.Sprint("string/", n), func(b *testing.B) { benchmarkLoad(b, n, name) })
		b.Run(fmt.Sprint("uint64/", n), func(b *testing.B) { benchmarkLoad(b, n, number) })
	}
}

func benchmarkLoad[K comparable](b *testing.B, n int, key func(int) K) {
	for _, l := range lookups[K]() {
		b.Run(l.name, func(b *testing.B) {
			for i := range n {
				l.store(entry(key(i)))
			}
			order := make([]K, 1<<16) // other strings than those in the table
			for i := range order {
				order[i] = key(rand.IntN(n))
			}
			runtime.GC()
			i := 0
			for b.Loop() {
				if l.load(order[i&(1<<16-1)]) == nil {
					b.Fatal("not found")
				}
				i++
			}
		})
	}
}

// BenchmarkChurn puts an entry in and takes it out, beside a thousand that stay.
func BenchmarkChurn(b *testing.B) {
	for _, l := range lookups[string]() {
		b.Run(l.name, func(b *testing.B) {
			for i := range 1000 {
				l.store(entry(name(i)))
			}
			passing := make([]*Entry[string], 1000)
			for i := range passing {
				passing[i] = entry(name(1000 + i))
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				e := passing[i%len(passing)]
				l.store(e)
				l.delete(e)
				i++
			}
		})
	}
}

// BenchmarkGrow puts in a million keys, one of which is an operation, and reports the bytes for
// each, beside the entry.
func BenchmarkGrow(b *testing.B) {
	const n = 1_000_000
	entries := make([]*Entry[uint64], n)
	for i := range entries {
		entries[i] = entry(number(i))
	}
	for which := range lookups[uint64]() {
		b.Run(lookups[uint64]()[which].name, func(b *testing.B) {
			var bytes float64
			for b.Loop() {
				var before, after runtime.MemStats
				runtime.GC()
				runtime.ReadMemStats(&before)
				l := lookups[uint64]()[which]
				for _, e := range entries {
					l.store(e)
				}
				runtime.GC()
				runtime.ReadMemStats(&after)
				bytes = float64(after.HeapAlloc-before.HeapAlloc) / n
				runtime.KeepAlive(l)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/key")
			b.ReportMetric(bytes, "bytes/key")
		})
	}
}
