package activity_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/verify/replay"
)

// crew runs work n times at once, half of them as activities on the given number of processors and
// half as ordinary goroutines, and returns when all have ended. work gets the context for its
// waits, its number, and a random source of its own.
func crew(t *testing.T, processors, n int, work func(ctx context.Context, id int, r *rand.Rand)) {
	t.Helper()
	seed := replay.Seed(t)
	s := sched.New(sched.Config{Processors: processors})
	s.Start()
	ctx := within(t)
	var all sync.WaitGroup
	for id := range n {
		all.Add(1)
		r := rand.New(rand.NewPCG(seed, uint64(id)))
		if id%2 == 0 {
			activity.Go(activity.On(s), func(a *activity.Activity) {
				defer all.Done()
				work(a, id, r)
			})
			continue
		}
		go func() {
			defer all.Done()
			work(ctx, id, r)
		}()
	}
	ended := make(chan struct{})
	go func() {
		all.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		buf := make([]byte, 1<<20)
		t.Fatalf("some wait for ever:\n%s", buf[:runtime.Stack(buf, true)])
	}
	s.Stop(nil)
}

// onProcessors runs a test with one processor and with two.
func onProcessors(t *testing.T, test func(t *testing.T, processors int)) {
	t.Run("1", func(t *testing.T) { test(t, 1) })
	t.Run("2", func(t *testing.T) { test(t, 2) })
}

// pause lets others run, in an activity and in a goroutine.
func pause(ctx context.Context) {
	if a := activity.Of(ctx); a != nil && a.Here() {
		a.Yield()
	} else {
		runtime.Gosched()
	}
}

// impatience returns a context that ends within 200 µs, at a random moment; one in four has ended
// already.
func impatience(ctx context.Context, r *rand.Rand) (context.Context, context.CancelFunc) {
	if r.IntN(4) == 0 {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		return ctx, cancel
	}
	return context.WithTimeout(ctx, time.Duration(r.IntN(200))*time.Microsecond)
}

// until waits for a condition that other goroutines are about to bring about.
func until(t *testing.T, so func() bool) {
	t.Helper()
	for ctx := within(t); !so(); runtime.Gosched() {
		if ctx.Err() != nil {
			t.Fatal("it has not come to what the test waits for")
		}
	}
}

// panics returns the string with which f panics; "" if f does not panic, or panics with another
// type.
func panics(f func()) (text string) {
	defer func() { text, _ = recover().(string) }()
	f()
	return ""
}
