package ddb

import (
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"testing"
)

// pipelines makes requests, n at a time, about random keys: SET and GET take turns.
func pipelines(count, n, keys, length int) (out [][]byte) {
	random := rand.New(rand.NewPCG(1, 2))
	value := strings.Repeat("v", length)
	for range count {
		var b strings.Builder
		for range n / 2 {
			b.WriteString(request("set", "key:"+strconv.Itoa(random.IntN(keys)), value))
			b.WriteString(request("get", "key:"+strconv.Itoa(random.IntN(keys))))
		}
		out = append(out, []byte(b.String()))
	}
	return out
}

// fill writes all keys.
func (c *client) fill(keys, length int) {
	const batch = 1000
	value := strings.Repeat("v", length)
	for i := 0; i < keys; i += batch {
		var b strings.Builder
		for n := range batch {
			b.WriteString(request("set", "key:"+strconv.Itoa(i+n), value))
		}
		c.send(b.String())
		io.CopyN(io.Discard, c.in, batch*int64(len("+OK\r\n")))
	}
}

// BenchmarkSetGet is a pipeline of half SET, half GET, on existing keys. An operation is a command.
func BenchmarkSetGet(b *testing.B) {
	for _, length := range []int{32, 1000, 10_000} {
		for _, config := range benchConfigs {
			b.Run(fmt.Sprintf("%s/%d", config.name, length), func(b *testing.B) {
				const keys, depth = 20_000, 200
				_, addr := serve(b, config.config)
				c := dial(b, addr)
				c.fill(keys, length)
				all := pipelines(64, depth, keys, length)
				size := int64(depth/2) * int64(len("+OK\r\n")+len(bulk(strings.Repeat("v", length))))
				i := 0
				for b.Loop() {
					if i++; i%depth != 0 {
						continue // b.Loop counts commands
					}
					go c.conn.Write(all[i/depth%len(all)])
					if _, err := io.CopyN(io.Discard, c.in, size); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// BenchmarkCollect is one garbage collection while so many keys are stored: it measures what the
// collector has to visit.
func BenchmarkCollect(b *testing.B) {
	for _, config := range benchConfigs {
		b.Run(config.name, func(b *testing.B) {
			const keys = 1_000_000
			_, addr := serve(b, config.config)
			dial(b, addr).fill(keys, 32)
			runtime.GC()
			before := markTime()
			for b.Loop() {
				runtime.GC()
			}
			b.ReportMetric((markTime()-before)*1e9/float64(b.N), "gc-cpu-ns/op")
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.HeapObjects), "objects")
			b.ReportMetric(float64(m.HeapAlloc)/keys, "heap-B/key")
		})
	}
}

// markTime returns the processor seconds that garbage collection has taken so far.
func markTime() float64 {
	s := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}}
	metrics.Read(s)
	return s[0].Value.Float64()
}
