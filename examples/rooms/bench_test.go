package main

import (
	"context"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

// BenchmarkLate measures in rounds of a second how late ticks are: alone; beside activities that
// look into rooms all the time; and beside those without a priority for ticks. Meanwhile a
// goroutine does nothing but sleep until an instant, as often as a group of rooms is due: that is
// how late this machine is by itself.
func BenchmarkLate(b *testing.B) {
	for _, v := range []struct {
		name     string
		priority freerun.Priority
		noise    int
	}{{"alone", freerun.High, 0}, {"noise", freerun.High, 64}, {"noise-flat", freerun.Normal, 64}} {
		b.Run(v.name, func(b *testing.B) {
			w := newWorld(freerun.New(), 100)
			w.fill(20_000)
			w.run(v.priority)
			ctx, stop := context.WithCancel(b.Context())
			crowd := w.rt.Scope(ctx)
			for i := range v.noise {
				activity.Go(crowd, func(a *activity.Activity) { w.disturb(a, i) })
			}
			w.sleep(60*groups, new(histogram)) // a world that fills does not count
			w.late.take()
			var sleeper histogram
			for b.Loop() {
				w.sleep(60*groups, &sleeper)
			}
			ticks, late := w.late.take(0.5, 0.99, 0.999)
			_, alone := sleeper.take(0.5, 0.99, 0.999)
			for i, part := range []string{"p50", "p99", "p99.9"} {
				b.ReportMetric(float64(late[i])/float64(time.Millisecond), part+"-ms")
				b.ReportMetric(float64(alone[i])/float64(time.Millisecond), "sleeper-"+part+"-ms")
			}
			b.ReportMetric(float64(ticks)/b.Elapsed().Seconds(), "ticks/s")
			stop()
			w.rt.Shutdown(context.Background())
		})
	}
}

// disturb looks into one room after another.
func (w *world) disturb(a *activity.Activity, at int) {
	for ; a.Err() == nil; at = (at + 7919) % len(w.rooms) {
		look.Send(freerun.ContextOf(a), w.rooms[at%len(w.rooms)], struct{}{}).Await(a)
	}
}

// sleep sleeps n steps one by one, and notes how late it has woken up.
func (w *world) sleep(n int, late *histogram) {
	for next := time.Now(); n > 0; n-- {
		next = next.Add(step)
		time.Sleep(time.Until(next))
		late.add(time.Since(next))
	}
}
