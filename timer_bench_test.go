package freerun_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
)

// crowdOfTimers is how many timers are pending at once in BenchmarkTimer.
const crowdOfTimers = 300_000

// BenchmarkTimer makes and stops crowds of timers, beside time.AfterFunc. The figures are of one timer.
func BenchmarkTimer(b *testing.B) {
	rt := freerun.New()
	defer rt.Close()
	u := freerun.NewUnit(rt, 0)
	scope := rt.Scope(context.Background())
	defer scope.Cancel(nil)
	makers := []struct {
		name string
		make func(d time.Duration) (stop func() bool)
	}{
		{"AfterFunc", func(d time.Duration) func() bool { return time.AfterFunc(d, func() {}).Stop }},
		{"SendAfter", func(d time.Duration) func() bool {
			_, timer := addOne.SendAfter(rt.Context(), d, u, 1)
			return timer.Stop
		}},
		{"scope", func(d time.Duration) func() bool {
			_, timer := addOne.SendAfter(scope.Context(), d, u, 1)
			return timer.Stop
		}},
		{"After", func(d time.Duration) func() bool {
			freerun.After(rt.Context(), d)
			return nil
		}},
	}
	spreads := []struct {
		name string
		of   func(i int) time.Duration
	}{
		{"alike", func(int) time.Duration { return time.Hour }},
		{"spread", func(i int) time.Duration {
			return time.Minute + time.Duration(i*7919%crowdOfTimers)*(time.Hour/crowdOfTimers)
		}},
	}
	for _, spread := range spreads {
		for _, m := range makers {
			if m.name == "After" && spread.name == "spread" {
				continue
			}
			b.Run(fmt.Sprintf("%s/%s", m.name, spread.name), func(b *testing.B) {
				stops := make([]func() bool, crowdOfTimers)
				made, stopped, rounds := time.Duration(0), time.Duration(0), 0
				for b.Loop() {
					begun := time.Now()
					for i := range stops {
						stops[i] = m.make(spread.of(i))
					}
					made += time.Since(begun)
					begun = time.Now()
					for _, stop := range stops {
						if stop != nil && !stop() {
							b.Fatal("not stopped")
						}
					}
					stopped += time.Since(begun)
					rounds++
				}
				each := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(rounds*crowdOfTimers) }
				b.ReportMetric(each(made), "ns/made")
				b.ReportMetric(each(stopped), "ns/stopped")
			})
		}
	}
}

// BenchmarkTimerShutdown ends a runtime with a million pending timers.
func BenchmarkTimerShutdown(b *testing.B) {
	const pending = 1_000_000
	for b.Loop() {
		b.StopTimer()
		rt := freerun.New()
		u := freerun.NewUnit(rt, 0)
		for i := range pending {
			addOne.SendAfter(rt.Context(), time.Hour+time.Duration(i)*time.Millisecond, u, 1)
		}
		b.StartTimer()
		if err := rt.Shutdown(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
