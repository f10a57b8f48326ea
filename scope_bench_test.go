package freerun_test

import (
	"context"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// BenchmarkScope measures the hop of BenchmarkPingPong without a scope, with a scope, and with two
// scopes that take turns. It also measures a scope that is made, used once and awaited.
func BenchmarkScope(b *testing.B) {
	for name, scopes := range map[string]int{"none": 0, "one": 1, "turns": 2} {
		b.Run(name, func(b *testing.B) { benchScopePing(b, scopes) })
	}
	b.Run("made", func(b *testing.B) {
		rt := freerun.New(freerun.Processors(1))
		defer rt.Close()
		b.ReportAllocs()
		for b.Loop() {
			s := rt.Scope(context.Background())
			runtimetest.Tick.Tell(s.Context(), 1)
			if err := s.Wait(context.Background()); err != nil {
				b.Fatal(err)
			}
			s.Cancel(nil)
		}
	})
	b.Run("awaited without", func(b *testing.B) {
		rt := freerun.New(freerun.Processors(1))
		defer rt.Close()
		b.ReportAllocs()
		for b.Loop() {
			runtimetest.Tick.Send(rt.Context(), 1).Wait(context.Background())
		}
	})
}

func benchScopePing(b *testing.B, scopes int) {
	rt := freerun.New(freerun.Processors(1))
	defer rt.Close()
	var dones []chan struct{}
	var starts []func()
	for i := range max(scopes, 1) {
		c := rt.Context()
		if i < scopes {
			s := rt.Scope(context.Background())
			defer s.Cancel(nil)
			c = s.Context()
		}
		done := make(chan struct{})
		x := freerun.NewUnit(rt, pinger{done: done})
		y := freerun.NewUnit(rt, pinger{other: x, done: done})
		freerun.Do(c, x, func(_ *freerun.Context, p *pinger) (int, error) { p.other = y; return 0, nil }).Wait(context.Background())
		dones = append(dones, done)
		starts = append(starts, func() { benchPing.Tell(c, x, b.N/max(scopes, 1)) })
	}
	b.ReportAllocs()
	b.ResetTimer()
	for _, start := range starts {
		start()
	}
	for _, done := range dones {
		<-done
	}
}

// BenchmarkCall measures the call of a handler: by Send and Wait, and by Call; with a context that
// can end, and with a scope for each request.
func BenchmarkCall(b *testing.B) {
	rt := freerun.New(freerun.Processors(1))
	defer rt.Close()
	u := freerun.NewUnit(rt, 0)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b.Run("send and wait", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			runtimetest.AddOne.Send(rt.Context(), u, 1).Wait(ctx)
		}
	})
	b.Run("call", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			runtimetest.AddOne.Call(ctx, u, 1)
		}
	})
	b.Run("scope", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			s := rt.Scope(ctx)
			runtimetest.AddOne.Call(s.Context(), u, 1)
			s.Cancel(nil)
		}
	})
}
