package freeruntest_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/simhost"
)

// TestKindRepeats holds that a seed means the same whatever the collector does, while units of a
// kind are evicted, become passive when they are idle and by Stop, and are walked through by All.
func TestKindRepeats(t *testing.T) {
	run := func(seed uint64, percent int) []string {
		defer debug.SetGCPercent(debug.SetGCPercent(percent))
		s := &recorder{random: rand.New(rand.NewPCG(seed, 3))}
		rt := freerun.New(simhost.Option[freerun.Option](s), freerun.Logger(slog.New(slog.DiscardHandler)))
		note := func(format string, args ...any) { s.began = append(s.began, fmt.Sprintf(format, args...)) }
		ctx, c, random := within(t), rt.Context(), rand.New(rand.NewPCG(seed, 4))
		theDisk = freerun.NewUnit(rt, disk{money: map[string]int{}, made: map[string]int{}})
		for i := range 60 {
			key := string(rune('a' + random.IntN(12)))
			switch random.IntN(6) {
			case 0:
				was, err := purses.Stop(c, key).Wait(ctx)
				note("stop %s: %v, %v", key, was, err)
			case 1:
				freerun.After(c, time.Duration(random.IntN(9))*time.Millisecond).Wait(ctx)
				for key, u := range purses.All(rt) {
					note("active: %s, %d", key, u.Stats().Operations)
				}
			case 2:
				give.Send(c, purses.At(c, key), purses.At(c, key+"x"), 1)
			default:
				f := earn.Send(c, purses.At(c, key), i)
				if random.IntN(2) == 0 {
					n, err := f.Wait(ctx)
					note("earn %s: %d, %v", key, n, err)
				}
			}
			if percent > 0 {
				runtime.GC()
			}
			note("%s ran %d", key, purses.At(c, key).Stats().Operations)
		}
		note("%+v at %v, shut down: %v", purses.Stats(rt), rt.Now(), rt.Shutdown(ctx))
		return s.began
	}
	for seed := range uint64(4) {
		often, never := run(seed, 1), run(seed, -1)
		if !slices.Equal(often, never) {
			for i := range min(len(often), len(never)) {
				if often[i] != never[i] {
					t.Fatalf("seed %d: event %d is %q, and without collections %q", seed, i, often[i], never[i])
				}
			}
			t.Fatalf("seed %d: %d events, and %d without collections", seed, len(often), len(never))
		}
	}
}
