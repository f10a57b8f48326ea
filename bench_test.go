package freerun_test

import (
	"context"
	"sync"
	"testing"

	"github.com/freerun-go/freerun"
)

type fibSum struct{ X, Y freerun.Future[int] }

var (
	benchFib  = freerun.FreeOp[int, int]("fib", nil)
	benchPlus = freerun.FreeOp("plus", func(c *freerun.Context, s fibSum) (int, error) { return s.X.Value() + s.Y.Value(), nil })
)

var _ = freerun.Define(benchFib, func(c *freerun.Context, n int) (int, error) {
	if n < 2 {
		return n, nil
	}
	return freerun.Forward(c, benchPlus.Send(c, fibSum{benchFib.Send(c, n-1), benchFib.Send(c, n-2)}))
})

// BenchmarkFib reports ns per call of fib, the free operation, on GOMAXPROCS processors.
func BenchmarkFib(b *testing.B) {
	const n, calls = 22, 57313
	rt := freerun.New()
	defer rt.Close()
	for b.Loop() {
		if v, err := benchFib.Send(rt.Context(), n).Wait(context.Background()); v != 17711 || err != nil {
			b.Fatal(v, err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/calls, "ns/call")
}

type pinger struct {
	other *freerun.Unit[pinger]
	done  chan struct{}
}

var benchPing = freerun.Op[pinger, int, struct{}]("ping", nil)

var _ = freerun.Define(benchPing, freerun.NoResult(func(c *freerun.Context, p *pinger, left int) error {
	if left == 0 {
		close(p.done)
		return nil
	}
	return benchPing.Tell(c, p.other, left-1)
}))

// BenchmarkPingPong reports ns per hop of a message between two units.
func BenchmarkPingPong(b *testing.B) {
	rt := freerun.New()
	defer rt.Close()
	done := make(chan struct{})
	x := freerun.NewUnit(rt, pinger{done: done})
	y := freerun.NewUnit(rt, pinger{other: x, done: done})
	freerun.Do(rt.Context(), x, func(_ *freerun.Context, p *pinger) (int, error) { p.other = y; return 0, nil }).Wait(context.Background())
	b.ReportAllocs()
	b.ResetTimer()
	benchPing.Tell(rt.Context(), x, b.N)
	<-done
}

type fanInCount struct {
	seen, want int
	done       chan struct{}
}

var benchCount = freerun.Op("count", freerun.NoResult(func(_ *freerun.Context, t *fanInCount, by int) error {
	if t.seen += by; t.seen == t.want {
		close(t.done)
	}
	return nil
}))

// BenchmarkFanIn reports ns per message that four ordinary goroutines tell one unit.
func BenchmarkFanIn(b *testing.B) {
	const senders = 4
	rt := freerun.New()
	defer rt.Close()
	each := b.N/senders + 1
	done := make(chan struct{})
	u := freerun.NewUnit(rt, fanInCount{want: each * senders, done: done})
	b.ReportAllocs()
	b.ResetTimer()
	var all sync.WaitGroup
	for range senders {
		all.Go(func() {
			for range each {
				if err := benchCount.Tell(rt.Context(), u, 1); err != nil {
					panic(err)
				}
			}
		})
	}
	<-done
	b.StopTimer()
	all.Wait()
}

// BenchmarkFanInChannel is BenchmarkFanIn with a buffered channel and a goroutine that counts.
func BenchmarkFanInChannel(b *testing.B) {
	const senders = 4
	each := b.N/senders + 1
	ch := make(chan int, 1024)
	done := make(chan struct{})
	b.ResetTimer()
	go func() {
		for seen := 0; seen < each*senders; {
			seen += <-ch
		}
		close(done)
	}()
	for range senders {
		go func() {
			for range each {
				ch <- 1
			}
		}()
	}
	<-done
}

// onOperation runs do as an operation, and waits for it.
func onOperation(b *testing.B, do func(c *freerun.Context)) {
	rt := freerun.New()
	defer rt.Close()
	if _, err := freerun.Go(rt.Context(), func(c *freerun.Context) (struct{}, error) { do(c); return struct{}{}, nil }).Wait(context.Background()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkJoin reports ns per call of a fib that joins its two halves.
func BenchmarkJoin(b *testing.B) {
	const n, calls = 22, 57313
	for name, fib := range map[string]func(*freerun.Context, int) int{"branch": fib.Run, "closures": fibClosures} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			onOperation(b, func(c *freerun.Context) {
				for b.Loop() {
					if v := fib(c, n); v != 17711 {
						b.Error(v)
					}
				}
			})
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/calls, "ns/call")
		})
	}
	b.Run("nothing", func(b *testing.B) {
		onOperation(b, func(c *freerun.Context) {
			for b.Loop() {
				fib.Join(c, 0, 0)
			}
		})
	})
}

// BenchmarkFor reports ns per index of an empty loop.
func BenchmarkFor(b *testing.B) {
	const n = 1_000_000
	body := func(*freerun.Context, int) {}
	b.Run("For", func(b *testing.B) {
		onOperation(b, func(c *freerun.Context) {
			for b.Loop() {
				freerun.For(c, n, body)
			}
		})
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/index")
	})
	b.Run("calls", func(b *testing.B) {
		onOperation(b, func(c *freerun.Context) {
			for b.Loop() {
				for i := range n {
					body(c, i)
				}
			}
		})
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/index")
	})
}
