package nats_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	natsgo "github.com/nats-io/nats.go"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/nats"
)

// tally is a unit that counts.
type tally struct{ Sum int }

type addend struct {
	N   int
	Pad string
}

var (
	tallies = freerun.NewKind("tally", func(*freerun.Context, string) (tally, error) { return tally{}, nil }, cluster.Volatile())
	// plainTallies are of their own process.
	plainTallies = freerun.NewKind("plainTally", func(*freerun.Context, string) (tally, error) { return tally{}, nil })
	addTo        = freerun.Op("addTo", func(_ *freerun.Context, s *tally, a addend) (int, error) {
		s.Sum += a.N
		return s.Sum, nil
	})
)

// BenchmarkVolatile sends operations to units of another node of this process, through a server of
// this process, and by a link: one at a time, and 64.
func BenchmarkVolatile(b *testing.B) {
	b.Run("server", func(b *testing.B) { benchmarkVolatile(b) })
	b.Run("link", func(b *testing.B) { benchmarkVolatile(b, nats.Links("127.0.0.1:0")) })
}

func benchmarkVolatile(b *testing.B, more ...nats.Option) {
	url := serve(b, nil)
	options := append([]nats.Option{nats.Create(1), nats.Partitions(parts)}, more...)
	here, there := join(b, "bench", url, options...), join(b, "bench", url, options...)
	defer here.leave(b)
	defer there.leave(b)
	for len(here.node.Machines().Partitions) < 2 || len(there.node.Machines().Partitions) < 2 {
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(500 * time.Millisecond)
	c := here.rt.Context()
	var units []*freerun.Unit[tally]
	for i := 0; len(units) < 1000; i++ {
		key := fmt.Sprint("k", i)
		if _, is, _ := cluster.OwnerOf(here.node, tallies, key); !is {
			units = append(units, tallies.At(c, key))
		}
	}
	arg := addend{1, strings.Repeat("x", 90)}
	b.Run("one", func(b *testing.B) {
		b.ReportAllocs()
		for i := range b.N {
			if _, err := addTo.Call(b.Context(), units[i%len(units)], arg); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("64", func(b *testing.B) {
		b.ReportAllocs()
		var open [64]freerun.Future[int]
		for i := range b.N {
			if i >= len(open) {
				if _, err := open[i%len(open)].Wait(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			open[i%len(open)] = addTo.Send(c, units[i%len(units)], arg)
		}
		for i := range min(b.N, len(open)) {
			_, _ = open[i].Wait(b.Context())
		}
	})
	b.Run("here", func(b *testing.B) {
		b.ReportAllocs()
		var own []*freerun.Unit[tally]
		for i := 0; len(own) < 1000; i++ {
			key := fmt.Sprint("k", i)
			if _, is, _ := cluster.OwnerOf(here.node, tallies, key); is {
				own = append(own, tallies.At(c, key))
			}
		}
		for i := range b.N {
			if _, err := addTo.Call(b.Context(), own[i%len(own)], arg); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("plain", func(b *testing.B) {
		b.ReportAllocs()
		var own []*freerun.Unit[tally]
		for i := range 1000 {
			own = append(own, plainTallies.At(c, fmt.Sprint("k", i)))
		}
		for i := range b.N {
			if _, err := addTo.Call(b.Context(), own[i%len(own)], arg); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkRequest is a plain request of NATS and its answer, one at a time, and 64.
func BenchmarkRequest(b *testing.B) {
	url := serve(b, nil)
	there, err := natsgo.Connect(url)
	if err != nil {
		b.Fatal(err)
	}
	defer there.Close()
	if _, err := there.Subscribe("x", func(m *natsgo.Msg) { _ = m.Respond(m.Data[:8]) }); err != nil {
		b.Fatal(err)
	}
	here, err := natsgo.Connect(url)
	if err != nil {
		b.Fatal(err)
	}
	defer here.Close()
	arg := make([]byte, 112)
	b.Run("one", func(b *testing.B) {
		for range b.N {
			if _, err := here.Request("x", arg, time.Second); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("64", func(b *testing.B) {
		b.SetParallelism(32)
		b.RunParallel(func(p *testing.PB) {
			for p.Next() {
				if _, err := here.Request("x", arg, time.Second); err != nil {
					b.Error(err)
				}
			}
		})
	})
}
