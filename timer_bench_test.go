package freerun_test

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// pendingTimers is how many timers are pending at once in BenchmarkTimer.
const pendingTimers = 300_000

// BenchmarkTimer makes and stops many timers, and measures time.AfterFunc beside them. The figures
// are for one timer.
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
			_, timer := runtimetest.AddOne.SendAfter(rt.Context(), d, u, 1)
			return timer.Stop
		}},
		{"scope", func(d time.Duration) func() bool {
			_, timer := runtimetest.AddOne.SendAfter(scope.Context(), d, u, 1)
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
			return time.Minute + time.Duration(i*7919%pendingTimers)*(time.Hour/pendingTimers)
		}},
	}
	for _, spread := range spreads {
		for _, m := range makers {
			if m.name == "After" && spread.name == "spread" {
				continue
			}
			b.Run(fmt.Sprintf("%s/%s", m.name, spread.name), func(b *testing.B) {
				stops := make([]func() bool, pendingTimers)
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
				each := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / float64(rounds*pendingTimers) }
				b.ReportMetric(each(made), "ns/made")
				b.ReportMetric(each(stopped), "ns/stopped")
			})
		}
	}
}

// BenchmarkTimerShutdown measures the end of a runtime with a million pending timers.
func BenchmarkTimerShutdown(b *testing.B) {
	const pending = 1_000_000
	for b.Loop() {
		b.StopTimer()
		rt := freerun.New()
		u := freerun.NewUnit(rt, 0)
		for i := range pending {
			runtimetest.AddOne.SendAfter(rt.Context(), time.Hour+time.Duration(i)*time.Millisecond, u, 1)
		}
		b.StartTimer()
		if err := rt.Shutdown(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTimerLateness measures how late timers fire, beside those of time.AfterFunc: one at a
// time, and many that are due within a second.
func BenchmarkTimerLateness(b *testing.B) {
	rt := freerun.New()
	defer rt.Close()
	for _, pending := range []int{1, 100_000} {
		for name, begin := range map[string]func(d time.Duration, late func(time.Time)){
			"AfterFunc": func(d time.Duration, late func(time.Time)) { time.AfterFunc(d, func() { late(time.Now()) }) },
			"After": func(d time.Duration, late func(time.Time)) {
				freerun.Then(rt.Context(), freerun.After(rt.Context(), d), func(_ *freerun.Context, at time.Time) (int, error) {
					late(at)
					return 0, nil
				})
			},
		} {
			b.Run(fmt.Sprintf("%s/%d", name, pending), func(b *testing.B) {
				var all []time.Duration
				for b.Loop() {
					came := make(chan time.Duration, pending)
					for i := range pending {
						d := 3*time.Millisecond + 7*time.Microsecond
						if pending > 1 {
							d = time.Second + time.Duration(i*7919%pending)*(time.Second/time.Duration(pending))
						}
						due := time.Now().Add(d)
						begin(d, func(at time.Time) { came <- at.Sub(due) })
					}
					for range pending {
						all = append(all, <-came)
					}
				}
				slices.Sort(all)
				b.ReportMetric(float64(all[0].Nanoseconds()), "ns-least")
				b.ReportMetric(float64(all[len(all)/2].Nanoseconds()), "ns-p50")
				b.ReportMetric(float64(all[len(all)*99/100].Nanoseconds()), "ns-p99")
				b.ReportMetric(float64(all[len(all)-1].Nanoseconds()), "ns-most")
			})
		}
	}
}

// BenchmarkTimerFires measures how long it takes to fire many timers that are due at one instant,
// from that instant until all have fired.
func BenchmarkTimerFires(b *testing.B) {
	rt := freerun.New()
	defer rt.Close()
	for name, begin := range map[string]func(d time.Duration, fired func()){
		"AfterFunc": func(d time.Duration, fired func()) { time.AfterFunc(d, fired) },
		"SendAfter": func(d time.Duration, fired func()) { firedOp.SendAfter(rt.Context(), d, fired) },
	} {
		b.Run(name, func(b *testing.B) {
			took := time.Duration(0)
			for b.Loop() {
				left, over := atomic.Int64{}, make(chan struct{})
				left.Store(pendingTimers)
				due := time.Now().Add(time.Second)
				for range pendingTimers {
					begin(time.Until(due), func() {
						if left.Add(-1) == 0 {
							close(over)
						}
					})
				}
				<-over
				took += time.Since(due)
			}
			b.ReportMetric(float64(took.Nanoseconds())/float64(b.N*pendingTimers), "ns/fired")
		})
	}
}

var firedOp = freerun.FreeOp("fired", func(_ *freerun.Context, fired func()) (struct{}, error) { fired(); return struct{}{}, nil })
