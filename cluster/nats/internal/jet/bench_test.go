package jet

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/cluster/internal/engine"
)

const (
	benchUnits = 10000
	inFlight   = 1024
)

// BenchmarkPairs is the limit of what goes through a log: for each command an entry of the log and
// then a record by compare-and-set, many at once, and nothing else.
func BenchmarkPairs(b *testing.B) {
	for _, servers := range []int{1, 3} {
		b.Run(fmt.Sprint("R", servers), func(b *testing.B) { putsPairs(b, servers) })
	}
}

func putsPairs(b *testing.B, servers int) {
	e := open(b, serve(b, servers).connect(b), Options{Program: "p", Replicas: servers})
	defer e.Close()
	value := make([]byte, 112)
	revisions := make([]uint64, benchUnits)
	keys := make([][]byte, benchUnits)
	free := make(chan int, benchUnits) // units without a pair under way
	for i := range keys {
		keys[i] = fmt.Appendf(nil, "unit %d", i)
		free <- i
	}
	places := make(chan struct{}, inFlight)
	b.ResetTimer()
	for range b.N {
		places <- struct{}{}
		unit := <-free
		e.Append(unit%4, value, func(_ uint64, err error) {
			if err != nil {
				b.Error(err)
			}
			e.Swap(unit%4, []engine.Write{{Key: keys[unit], Value: value}}, revisions[unit], func(revision uint64, err error) {
				if err != nil {
					b.Error(err)
				}
				revisions[unit] = revision
				free <- unit
				<-places
			})
		})
	}
	for range inFlight {
		places <- struct{}{}
	}
}

// till is the state of the units of the benchmarks: with what the store has beside it, some 112
// bytes.
type till struct {
	Sum int
	Pad string
}

var (
	tills = freerun.NewKind("till", func(*freerun.Context, int) (till, error) {
		return till{Pad: strings.Repeat("x", 80)}, nil
	}, cluster.Durable())
	put = freerun.Op("put", func(_ *freerun.Context, t *till, n int) (int, error) {
		t.Sum += n
		return t.Sum, nil
	})
)

// BenchmarkDurable sends operations to durable units of one node, many at once: through the log,
// and beside it, over one server, and over three with one pair of streams and with three.
func BenchmarkDurable(b *testing.B) {
	for way, direct := range map[string]bool{"logged": false, "direct": true} {
		for name, o := range map[string]Options{
			"R1": {Replicas: 1, Pairs: 1}, "R3": {Replicas: 3, Pairs: 1}, "R3 pairs 3": {Replicas: 3, Pairs: 3},
		} {
			b.Run(way+" "+name, func(b *testing.B) { sends(b, o, direct) })
		}
	}
}

// sends sends operations to the units of a store that is made so.
func sends(b *testing.B, o Options, direct bool) {
	s := serve(b, o.Replicas)
	o.Program = "bench"
	open(b, s.connect(b), o).Close()
	n := newProcess(b, s.url(), o.Program, "one")
	defer n.leave()
	c := n.rt.Context()
	if direct {
		c = cluster.Direct(c)
	}
	var under [inFlight]freerun.Future[int]
	send := func(i int) {
		if i >= inFlight {
			if _, err := under[i%inFlight].Wait(context.Background()); err != nil {
				b.Error(err)
			}
		}
		under[i%inFlight] = put.Send(c, tills.At(c, i%benchUnits), 1)
	}
	for i := range benchUnits { // all units are loaded
		send(i)
	}
	b.ResetTimer()
	for i := range b.N {
		send(benchUnits + i)
	}
	for i := range inFlight {
		_, _ = under[i].Wait(context.Background())
	}
}

// BenchmarkBegin says how long a machine takes that begins beside servers which run: until its
// first command is answered, through the log. All it needs is there, and it is alone.
func BenchmarkBegin(b *testing.B) {
	for _, n := range replicas {
		b.Run(fmt.Sprint("R", n), func(b *testing.B) {
			s := serve(b, n)
			o := Options{Program: "begin", Replicas: n, Pairs: 1}
			open(b, s.connect(b), o).Close()
			for i := range b.N {
				m := newProcess(b, s.url(), o.Program, "one")
				c := m.rt.Context()
				if _, err := put.Call(context.Background(), tills.At(c, i%benchUnits), 1); err != nil {
					b.Error(err)
				}
				b.StopTimer()
				m.leave()
				b.StartTimer()
			}
		})
	}
}
