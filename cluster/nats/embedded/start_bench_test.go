//go:build !wasm

package embedded_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun/cluster/nats/embedded"
	"github.com/freerun-go/freerun/cluster/nats/internal/freeport"
)

// BenchmarkStart says how long machines with a server each take from Join to the first answer of
// each: one alone, and three that come at the same time; the first time, when they make the
// streams, and again. For -benchtime 10x.
func BenchmarkStart(b *testing.B) {
	for _, n := range []int{1, 3} {
		b.Run(fmt.Sprint("machines ", n), func(b *testing.B) {
			var first, again time.Duration
			for range b.N {
				places := make([]place, n)
				var all []string
				for i, port := range freeport.Take(b, n) {
					places[i] = place{Dir: b.TempDir(), At: fmt.Sprint("127.0.0.1:", port)}
					all = append(all, places[i].At)
				}
				stores := func(want int, more ...embedded.Option) time.Duration {
					var each sync.WaitGroup
					begin := time.Now()
					nodes := make([]*joined, n)
					for i, p := range places {
						each.Go(func() {
							options := more
							if n > 1 {
								options = append([]embedded.Option{embedded.Routes(p.At, "secret", all...)}, more...)
							}
							var err error
							if nodes[i], err = join(embedded.Server("start", p.Dir, options...)); err != nil {
								b.Error(err)
								return
							}
							nodes[i].adds(b, fmt.Sprint("x", i), 1, want)
						})
					}
					each.Wait()
					took := time.Since(begin)
					if b.Failed() {
						b.FailNow()
					}
					for _, m := range nodes {
						each.Go(func() { m.leave(b) })
					}
					each.Wait()
					return took
				}
				first += stores(1, embedded.Create())
				again += stores(2)
			}
			b.ReportMetric(float64(first.Milliseconds())/float64(b.N), "first-ms")
			b.ReportMetric(float64(again.Milliseconds())/float64(b.N), "again-ms")
		})
	}
}
