package freerun_test

import (
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// BenchmarkAwait has an activity await the future of a message to a unit, alone and beside a
// second activity that awaits the same future.
func BenchmarkAwait(b *testing.B) {
	b.Run("alone", func(b *testing.B) {
		rt := runtimetest.Quiet(b, freerun.Processors(1))
		u := freerun.NewUnit(rt, 0)
		b.ReportAllocs()
		_ = activity.Go(rt, func(a *activity.Activity) {
			for b.Loop() {
				_, _ = runtimetest.AddOne.Send(freerun.ContextOf(a), u, 1).Await(a)
			}
		}).Wait(b.Context())
	})
	b.Run("two", func(b *testing.B) {
		rt := runtimetest.Quiet(b, freerun.Processors(1))
		u := freerun.NewUnit(rt, 0)
		var f freerun.Future[int]
		over := false
		b.ReportAllocs()
		one := activity.Go(rt, func(a *activity.Activity) {
			for b.Loop() {
				f = runtimetest.AddOne.Send(freerun.ContextOf(a), u, 1)
				a.Yield()
				_, _ = f.Await(a)
			}
			over = true
		})
		_ = activity.Go(rt, func(a *activity.Activity) {
			for !over {
				_, _ = f.Await(a)
				a.Yield()
			}
		}).Wait(b.Context())
		_ = one.Wait(b.Context())
	})
}
