package freerun_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/freerun-go/freerun"
)

var (
	counted = freerun.NewKind("counted", func(c *freerun.Context, key uint64) (int64, error) { return 0, nil })
	countBy = freerun.Op("countBy", func(c *freerun.Context, n *int64, by int64) (int64, error) {
		*n += by
		return *n, nil
	})
)

// BenchmarkKind has an operation tell units of a kind, and plain units. All have run before it goes
// on: messages that pile up would be measured otherwise.
func BenchmarkKind(b *testing.B) {
	for _, keys := range []int{1000, 1_000_000} {
		rt := freerun.New(freerun.Processors(1))
		units := make([]*freerun.Unit[int64], keys)
		order := make([]uint32, 1<<20)
		for i := range order {
			order[i] = rand.Uint32N(uint32(keys))
		}
		for i := range units {
			units[i] = freerun.NewUnit(rt, int64(0))
			countBy.Tell(rt.Context(), counted.At(rt.Context(), uint64(i)), 1)
			countBy.Tell(rt.Context(), units[i], 1)
		}
		in := func(name string, tell func(c *freerun.Context, i uint32)) {
			b.Run(fmt.Sprintf("keys=%d/%s", keys, name), func(b *testing.B) {
				for done := 0; done < b.N; {
					n := min(b.N-done, 1000)
					freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
						for i := range n {
							tell(c, order[(done+i)&(len(order)-1)])
						}
						return 0, nil
					})
					rt.Quiesce(b.Context())
					done += n
				}
			})
		}
		in("plain", func(c *freerun.Context, i uint32) { countBy.Tell(c, units[i], 1) })
		in("kind", func(c *freerun.Context, i uint32) { countBy.Tell(c, counted.At(c, uint64(i)), 1) })
		rt.Close()
	}
}

// BenchmarkKindCold has a first message to each of many keys.
func BenchmarkKindCold(b *testing.B) {
	rt := freerun.New(freerun.Processors(1))
	defer rt.Close()
	next := uint64(0)
	for b.Loop() {
		freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
			for range 1000 {
				countBy.Tell(c, counted.At(c, next), 1)
				next++
			}
			return 0, nil
		})
		rt.Quiesce(b.Context())
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(next), "ns/key")
}
