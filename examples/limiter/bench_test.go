package main

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
)

const manyKeys = 1_000_000

// BenchmarkAllow asks for a million keys, from 64 goroutines for each processor, after each key was
// asked for once; of stored ones for ten thousand.
func BenchmarkAllow(b *testing.B) {
	l := limit{10, time.Hour} // none becomes passive meanwhile
	b.Run("units", func(b *testing.B) { ask(b, manyKeys, func() limiter { return inUnits(b, l, "") }) })
	b.Run("twin", func(b *testing.B) { ask(b, manyKeys, func() limiter { return newTwin(l) }) })
	b.Run("durable", func(b *testing.B) {
		if slices.Contains([]string{"js", "wasip1"}, runtime.GOOS) {
			b.Skip("no stores on WebAssembly")
		}
		ask(b, manyKeys/100, func() limiter { return inUnits(b, l, b.TempDir()) })
	})
}

func inUnits(b *testing.B, l limit, dir string) limiter {
	all, err := newUnits(freerun.New(), l, dir)
	if err != nil {
		b.Fatal(err)
	}
	return all
}

func ask(b *testing.B, keys int, open func() limiter) {
	names := make([]string, keys)
	for i := range names {
		names[i] = "key-" + strconv.Itoa(i)
	}
	before := heap()
	all := open()
	for _, name := range names {
		if _, err := all.allow(b.Context(), name); err != nil {
			b.Fatal(err)
		}
	}
	after := heap()
	b.SetParallelism(64)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := all.allow(b.Context(), names[rand.IntN(keys)]); err != nil {
				b.Error(err)
			}
		}
	})
	b.StopTimer()
	b.ReportMetric((after-before)/float64(keys), "B/key")
	if err := all.close(b.Context()); err != nil {
		b.Fatal(err)
	}
}

func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc)
}
