package coroswitch_test

import (
	"bytes"
	"iter"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"runtime/trace"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun/internal/sys/coroswitch"
	"github.com/freerun-go/freerun/internal/sys/goid"
)

// compiledAsUsual reports whether nothing was asked of Go's compiler that may change the runtime's
// code, such as not to optimize.
func compiledAsUsual() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && !slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool {
		return s.Key == "-gcflags" || s.Key == "-pgo" || s.Key == "GOEXPERIMENT"
	})
}

// place is an iter.Pull in which a goroutine is parked.
type place struct {
	s     coroswitch.Switch
	known bool
	swap  func() // parks the calling goroutine in the place, and runs the other one
	stop  func()
}

// newPlace returns a place in which a goroutine is parked that is about to run body. As body
// returns, the goroutine that is parked there goes on, which has to be the one that calls stop.
func newPlace(body func()) *place {
	x := &place{}
	var id uintptr
	next, stop := iter.Pull(func(yield func(struct{}) bool) {
		id = goid.ID()
		yield(struct{}{})
		body()
	})
	next()
	x.stop = stop
	if x.known = x.s.Of(next, id); x.known {
		swap := x.s.Next()
		x.swap = func() { swap() }
	}
	return x
}

// known skips a test in builds that leave switches to iter.Pull, and fails in those that should
// not: a change of Go's code would cost speed and nothing else, so no other test would see it.
func known(t testing.TB) {
	x := newPlace(func() {})
	x.stop()
	used, why := coroswitch.Status()
	switch {
	case used != x.known || why == "":
		t.Fatalf("a Switch is known: %v; the status is %v, %q", x.known, used, why)
	case used:
	case coroswitch.Written && compiledAsUsual():
		t.Fatal("not used: ", why)
	default:
		t.Skip(why)
	}
}

// deep calls f below so many calls, each of which has pointers that nothing else refers to. It
// returns how many there were.
//
//go:noinline
func deep(depth int, f func()) (calls int) {
	var frame [8]*int
	for i := range frame {
		n := depth + i
		frame[i] = &n
	}
	if depth > 0 {
		calls = deep(depth-1, f)
	} else {
		f()
	}
	for i := range frame {
		calls += *frame[i] - depth - i
	}
	return calls + 1
}

// between has one goroutine switch to others and back, so often, both below a varying number of
// calls.
func between(t testing.TB, others, rounds int) {
	places := make([]*place, others)
	left := false
	for i := range places {
		var x *place
		x = newPlace(func() {
			for n := i; !left; n++ {
				if got := deep(n*13%200, x.swap); got != n*13%200+1 {
					t.Errorf("%d calls", got)
				}
			}
		})
		places[i] = x
	}
	for n := range rounds {
		if got := deep(n*7%100, places[n%others].swap); got != n*7%100+1 {
			t.Errorf("%d calls", got)
		}
	}
	left = true
	for _, x := range places {
		x.stop()
	}
}

// TestSwaps switches while Go's collector runs, which makes stacks larger and smaller, and so moves
// them, with what lies on them.
func TestSwaps(t *testing.T) {
	known(t)
	var all sync.WaitGroup
	var busy atomic.Int32
	for range 4 {
		busy.Add(1)
		all.Go(func() {
			defer busy.Add(-1)
			between(t, 20, 10_000)
		})
	}
	for busy.Load() > 0 {
		runtime.GC()
	}
	all.Wait()
}

// TestObserved switches while profiles, traces and the stacks of all goroutines are taken, each of
// which finds goroutines in the middle of a switch.
func TestObserved(t *testing.T) {
	known(t)
	var profile, events bytes.Buffer
	if err := pprof.StartCPUProfile(&profile); err != nil {
		t.Skip(err)
	}
	if err := trace.Start(&events); err != nil {
		t.Skip(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		between(t, 5, 40_000)
	}()
	stacks := make([]byte, 1<<20)
	seen := false
	for end := false; !end; {
		select {
		case <-done:
			end = true
		default:
			for of := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
				if strings.Contains(of, "coroswitch.resume(") {
					if seen = true; !strings.Contains(of, "coroswitch_test.deep(") {
						t.Errorf("the stack does not lead to what has switched:\n%s", of)
					}
				}
			}
			runtime.Gosched()
		}
	}
	trace.Stop()
	pprof.StopCPUProfile()
	if !seen || profile.Len() == 0 || events.Len() == 0 {
		t.Errorf("a parked goroutine was seen: %v; %d and %d bytes", seen, profile.Len(), events.Len())
	}
}

// TestTraced holds that execution traces, which unwind stacks by their frame pointers, find the
// function that has switched.
func TestTraced(t *testing.T) {
	known(t)
	var x *place
	x = newPlace(func() { leaveDirectly(x.s.Next()) })
	x.swap()
	var events bytes.Buffer
	if err := trace.Start(&events); err != nil {
		t.Skip(err)
	}
	trace.Stop()
	x.stop()
	for _, name := range []string{"coroswitch.resume", "coroswitch_test.leaveDirectly"} {
		if !bytes.Contains(events.Bytes(), []byte(name)) {
			t.Errorf("%s is not in the trace", name)
		}
	}
}

//go:noinline
func leaveDirectly(swap func() (struct{}, bool)) { swap() }

// TestEnds: a goroutine that ends, in its place, or calls Goexit, lets the one that stops it go on.
func TestEnds(t *testing.T) {
	known(t)
	for range 100 {
		ended := 0
		var x *place
		x = newPlace(func() {
			defer func() { ended++ }()
			x.swap()
		})
		x.swap()
		x.stop()
		x = newPlace(func() {
			defer func() { ended++ }()
			x.swap()
			runtime.Goexit()
		})
		x.swap()
		var all sync.WaitGroup
		all.Go(x.stop) // which ends as the coroutine does
		all.Wait()
		if ended != 2 {
			t.Fatalf("%d of 2 have ended", ended)
		}
	}
}

// TestLocked: as with iter.Pull, a goroutine that is locked to its thread may switch to one that
// it made then.
func TestLocked(t *testing.T) {
	known(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	between(t, 3, 1000)
}

// below calls f below so many calls.
//
//go:noinline
func below(depth int, f func()) int {
	if depth == 0 {
		f()
		return 1
	}
	return below(depth-1, f) + 1
}

// The benchmarks switch there and back, below three calls on either side.

func BenchmarkSwap(b *testing.B) {
	known(b)
	over := false
	var x *place
	x = newPlace(func() {
		for !over {
			below(2, x.swap)
		}
	})
	for b.Loop() {
		below(2, x.swap)
	}
	over = true
	x.stop()
}

func BenchmarkPull(b *testing.B) {
	next, stop := iter.Pull(func(yield func(struct{}) bool) {
		more := true
		f := func() { more = yield(struct{}{}) }
		for more {
			below(2, f)
		}
	})
	f := func() { next() }
	for b.Loop() {
		below(2, f)
	}
	stop()
}
