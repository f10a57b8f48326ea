package activity_test

import (
	"context"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/activity"
)

// TestRWMutexExcludes has readers and writers: a writer is alone, and readers do meet.
func TestRWMutexExcludes(t *testing.T) {
	onProcessors(t, func(t *testing.T, processors int) {
		var m activity.RWMutex
		var state, met atomic.Int64 // a writer counts a thousand
		crew(t, processors, 12, func(ctx context.Context, _ int, r *rand.Rand) {
			for range 300 {
				hurried, cancel := ctx, context.CancelFunc(func() {})
				if r.IntN(4) == 0 {
					hurried, cancel = impatience(ctx, r)
				}
				if r.IntN(4) == 0 {
					if m.Lock(hurried) == nil {
						if now := state.Add(1000); now != 1000 {
							t.Errorf("a writer is in with %d", now-1000)
						}
						if r.IntN(2) == 0 {
							pause(ctx)
						}
						state.Add(-1000)
						m.Unlock()
					}
				} else if m.RLock(hurried) == nil {
					now := state.Add(1)
					if now >= 1000 {
						t.Error("a reader is in with a writer")
					}
					if now > 1 {
						met.Add(1)
					}
					pause(ctx)
					state.Add(-1)
					m.RUnlock()
				}
				cancel()
			}
		})
		if !activity.Unused(&m) {
			t.Error("it is not free in the end")
		}
		if met.Load() == 0 {
			t.Error("readers never met")
		}
	})
}

// TestRWMutexStarvesNobody has readers come while a writer waits, and a writer while readers do:
// none overtakes. Readers in a row come in together, also when the writer ahead gives up.
func TestRWMutexStarvesNobody(t *testing.T) {
	s := started(t, 2)
	var m activity.RWMutex
	var readers atomic.Int32
	waits := func(n int) { until(t, func() bool { return activity.Waits(&m) == n }) }
	read := func() *activity.Activity {
		return activity.Go(activity.On(s), func(a *activity.Activity) {
			if err := m.RLock(a); err != nil {
				t.Error(err)
			}
			readers.Add(1)
		})
	}
	m.RLock(t.Context())
	hurried, hurry := context.WithCancel(t.Context())
	writer := make(chan error)
	go func() { writer <- m.Lock(hurried) }()
	waits(1)
	if m.TryRLock() || m.TryLock() {
		t.Error("the writer is overtaken")
	}
	first, second := read(), read()
	waits(3)
	hurry()
	if err := <-writer; err != context.Canceled {
		t.Error(err)
	}
	for _, a := range []*activity.Activity{first, second} {
		if err := a.Wait(within(t)); err != nil {
			t.Error(err)
		}
	}
	go func() { writer <- m.Lock(within(t)) }()
	waits(1)
	third := read()
	waits(2)
	for range 3 {
		if len(writer) != 0 || readers.Load() != 2 {
			t.Error("a waiter came in early")
		}
		m.RUnlock()
	}
	if err := <-writer; err != nil {
		t.Error(err)
	}
	m.Unlock()
	if err := third.Wait(within(t)); err != nil {
		t.Error(err)
	}
	m.RUnlock()
}

func TestRWMutexMisuse(t *testing.T) {
	var m activity.RWMutex
	const forWriting, forReading = "activity: Unlock of an RWMutex that is not locked for writing", "activity: RUnlock of an RWMutex that is not locked for reading"
	expect := func(want string, f func()) {
		t.Helper()
		if got := panics(f); !strings.HasPrefix(got, want) {
			t.Errorf("panicked with %q, want %q", got, want)
		}
	}
	expect(forWriting, m.Unlock)
	expect(forReading, m.RUnlock)
	m.RLock(t.Context())
	expect(forWriting, m.Unlock)
	m.RUnlock()
	m.Lock(t.Context())
	expect(forReading, m.RUnlock)
	expect(forReading, m.RLocker().Unlock)
	m.Unlock()
	if !activity.Unused(&m) {
		t.Error("it is not as it was")
	}
}
