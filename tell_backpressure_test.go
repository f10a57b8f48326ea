package freerun_test

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// tellFromMany starts ordinary goroutines, as many as senders says. Each tells u to add one, each
// times. tellFromMany checks u's sum.
func tellFromMany(t *testing.T, rt *freerun.Runtime, u *freerun.Unit[int], senders, each int) {
	t.Helper()
	var wg sync.WaitGroup
	for range senders {
		wg.Go(func() {
			for range each {
				if err := runtimetest.AddOne.Tell(rt.Context(), u, 1); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 0)); n != senders*each {
		t.Errorf("%d of %d messages", n, senders*each)
	}
}

// TestFloodStaysSmall: ordinary goroutines that tell faster than a unit runs are held back, so few
// messages are allocated.
func TestFloodStaysSmall(t *testing.T) {
	const senders, each = 4, 200_000
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	u := freerun.NewUnit(rt, 0)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	tellFromMany(t, rt, u, senders, each)
	runtime.ReadMemStats(&after)
	if made := after.Mallocs - before.Mallocs; made > senders*each/2 {
		t.Errorf("%d allocations for %d messages", made, senders*each)
	}
}

// TestFloodToAStuckUnitGoesOn: back-pressure is no limit. A sender gets through all messages to a
// unit that is stuck until the last one was sent.
func TestFloodToAStuckUnitGoesOn(t *testing.T) {
	const messages = 300_000
	rt, _ := runtimetest.Start(t, freerun.Processors(1))
	u := freerun.NewUnit(rt, 0)
	g := runtimetest.NewGate()
	freerun.Do(rt.Context(), u, func(*freerun.Context, *int) (int, error) { g.Pass(); return 0, nil })
	<-g.Entered
	for range messages {
		if err := runtimetest.AddOne.Tell(rt.Context(), u, 1); err != nil {
			t.Fatal(err)
		}
	}
	close(g.Opened)
	if n := runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 0)); n != messages {
		t.Errorf("%d of %d messages", n, messages)
	}
}

// tellAtDepth tells u so many messages, from so many frames down the stack.
//
//go:noinline
func tellAtDepth(t *testing.T, rt *freerun.Runtime, u *freerun.Unit[int], depth, messages int) byte {
	var frame [120]byte // not a power of two: the frames end at many offsets within 2 KiB
	frame[depth%len(frame)] = byte(depth)
	if depth > 0 {
		frame[0] += tellAtDepth(t, rt, u, depth-1, messages)
		return frame[depth%len(frame)] + frame[0]
	}
	for range messages {
		if err := runtimetest.AddOne.Tell(rt.Context(), u, 1); err != nil {
			t.Error(err)
		}
	}
	return frame[0]
}

// TestFloodFromAnyDepth: a sender uses the magazine that it has opened, however deep its stack is.
// Without exclusive pinning, the number of the stripe comes from an address on the stack: two calls
// at different depths may get two stripes.
func TestFloodFromAnyDepth(t *testing.T) {
	const depths, messages = 160, 5_000
	rt, _ := runtimetest.Start(t, freerun.Processors(2))
	for depth := range depths {
		u := freerun.NewUnit(rt, 0)
		done := make(chan struct{})
		go func() {
			defer close(done)
			tellAtDepth(t, rt, u, depth, messages)
		}()
		select {
		case <-done:
		case <-time.After(time.Minute):
			t.Fatalf("a sender %d frames deep does not come back", depth)
		}
		if n := runtimetest.Must(t, runtimetest.AddOne.Send(rt.Context(), u, 0)); n != messages {
			t.Errorf("%d frames deep: %d of %d messages", depth, n, messages)
		}
	}
}
