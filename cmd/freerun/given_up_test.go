package main

import (
	"strings"
	"testing"
)

// givenUp is a program whose runtime gives up activities in the middle of code that knows nothing
// of them, and that ends when the program lets it, after that. The argument says how.
const givenUp = `package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"example.org/user/helper"
	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

const several = 3

var (
	rt    = freerun.New(freerun.Processors(1), freerun.Grace(50*time.Millisecond), freerun.Logger(slog.New(slog.DiscardHandler)))
	begun atomic.Int32
	ended sync.WaitGroup
	mutex activity.Mutex
	locks [several]sync.Mutex
	named []string // those whose deferred functions ran
)

// until waits.
func until(reached func() bool) {
	for !reached() {
		time.Sleep(time.Millisecond)
	}
}

// start starts an activity whose function is not to return.
func start(name string, f func(a *activity.Activity)) *activity.Activity {
	ended.Add(1)
	return activity.Go(rt, func(a *activity.Activity) {
		defer ended.Done()
		defer func() { // as an activity that was discarded does
			if err := mutex.Lock(context.Background()); err != nil && !errors.Is(err, freerun.ErrClosed) {
				fmt.Println("a lock:", err)
			}
			named = append(named, name)
			mutex.Unlock()
		}()
		defer a.Block(func() {})
		defer func() {
			if c := freerun.ContextOf(a); c.Runtime() != rt || c != freerun.ContextOf(a) {
				fmt.Println("another context")
			}
			if err := activity.Go(a, func(*activity.Activity) {}).Wait(context.Background()); !errors.Is(err, freerun.ErrClosed) {
				fmt.Println("another activity:", err)
			}
		}()
		f(a)
		a.Yield()
		fmt.Println("it has not ended")
	}, activity.Named(name))
}

// loop is in code that knows nothing of activities.
func loop() {
	begun.Add(1)
	helper.Loop()
}

func shut(d time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	return rt.Shutdown(ctx)
}

var kinds = map[string]func(start func(name string, f func(a *activity.Activity))) (end func() error){
	// all but one are preempted
	"shutdown": func(start func(string, func(*activity.Activity))) func() error {
		for i := range several {
			start(fmt.Sprint("loop", i), func(*activity.Activity) { loop() })
		}
		until(func() bool { return begun.Load() == several })
		return func() error { return shut(20 * time.Millisecond) }
	},
	"canceled": func(start func(string, func(*activity.Activity))) func() error {
		for i := range several {
			start(fmt.Sprint("loop", i), func(*activity.Activity) { loop() })
		}
		until(func() bool { return begun.Load() == several })
		return func() error {
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			return rt.Shutdown(ctx)
		}
	},
	// with a lock of package sync, which they have taken in turns before
	"close": func(start func(string, func(*activity.Activity))) func() error {
		var all [several]sync.Mutex
		for i := range several {
			start(fmt.Sprint("loop", i), func(*activity.Activity) {
				all[i].Lock()
				defer all[i].Unlock()
				loop()
			})
		}
		until(func() bool { return begun.Load() == several })
		return rt.Close
	},
	// in branches, another of which runs on the other processor, and ends last
	"branches": func(start func(string, func(*activity.Activity))) func() error {
		rt.Resize(2)
		for i := range several {
			start(fmt.Sprint("loop", i), func(a *activity.Activity) {
				v, w := freerun.Join(freerun.ContextOf(a),
					func(*freerun.Context) int { loop(); return 1 },
					func(*freerun.Context) int {
						if i == 0 {
							loop()
							time.Sleep(50 * time.Millisecond)
						}
						return 1
					})
				if v != 1 || w != 1 {
					fmt.Println("the branches:", v, w)
				}
			})
			// The other processor has taken the branch of the first one, before it has an activity.
			until(func() bool { return begun.Load() == int32(i)+2 })
		}
		return rt.Close
	},
	// one is in a loop; the others have blocked, and wait for its processor
	"unaware": func(start func(string, func(*activity.Activity))) func() error {
		blocked := make(chan int)
		for i := range several - 1 {
			start(fmt.Sprint("loop", i), func(a *activity.Activity) {
				begun.Add(1)
				<-blocked
				helper.Loop()
				for {
					a.Check(1) // it ends at its own check
				}
			})
		}
		start("loop2", func(*activity.Activity) { loop() })
		until(func() bool { return begun.Load() == several })
		return func() error {
			go func() {
				<-rt.Context().Done()
				close(blocked)
			}()
			return rt.Close()
		}
	},
	// all are in loops with inserted checks, and hold locks, but not by deferred calls
	"checks": func(start func(string, func(*activity.Activity))) func() error {
		for i := range several {
			start(fmt.Sprint("loop", i), func(a *activity.Activity) {
				locks[i].Lock()
				begun.Add(1)
				for !helper.Over.Load() {
				}
				locks[i].Unlock()
			})
		}
		until(func() bool { return begun.Load() == several })
		return rt.Close
	},
}

func main() {
	time.AfterFunc(time.Minute, func() { panic("the end is waited for") })
	before := runtime.NumGoroutine()
	var all []*activity.Activity
	end := kinds[os.Args[1]](func(name string, f func(*activity.Activity)) { all = append(all, start(name, f)) })
	err := end()
	var left *freerun.ShutdownError
	if !errors.As(err, &left) {
		fmt.Println("the error is", err)
		return
	}
	slices.Sort(left.Running)
	fmt.Println(left)
	for _, a := range all {
		if a.Ended() {
			fmt.Println("one has ended")
		}
	}
	helper.Over.Store(true)
	ended.Wait()
	for _, a := range all {
		if err := a.Wait(context.Background()); err != freerun.ErrClosed {
			fmt.Println("one came to", err)
		}
	}
	slices.Sort(named)
	fmt.Println(named)
	for i := range locks {
		if !locks[i].TryLock() {
			fmt.Println("a lock is held")
		}
	}
	until(func() bool { return runtime.NumGoroutine() <= before+1 }) // and that of the time limit
}
`

const givenUpHelper = `package helper

import "sync/atomic"

var Over atomic.Bool

// Loop returns when it is over.
func Loop() {
	for !Over.Load() {
	}
}
`

// TestGivenUpMidway holds that the end of a runtime does not wait for activities that have been
// preempted, or have blocked, in code that knows nothing of them, and names them; and that they end
// after it, where they next yield.
func TestGivenUpMidway(t *testing.T) {
	dir := newModule(t, map[string]string{"main.go": givenUp, "helper/helper.go": givenUpHelper})
	must(t, dir, binary, "build", "-o", "with", ".")
	must(t, dir, binary, "build", "-race", "-o", "race", ".")
	for kind, rest := range map[string]string{
		"shutdown": ": context deadline exceeded", "canceled": ": context canceled", "close": "", "unaware": "", "checks": "",
		"branches": ", main.start.func1", // the other branch
	} {
		want := "freerun: closed; messages abandoned: 0; operations that did not return: loop0, loop1, loop2" + rest + "\n[loop0 loop1 loop2]\n"
		for _, program := range strings.Fields("./with ./race") {
			if got := must(t, dir, program, kind); got != want {
				t.Errorf("%s %s: %s, want %s", program, kind, got, want)
			}
		}
	}
}

// givenUpAnywhere is a program that closes runtimes whose activities block and go on all the time,
// in code that knows nothing of them. Each of them has begun and does not return.
const givenUpAnywhere = `package main

import (
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

const (
	rounds  = 1000
	several = 8
)

// exchange has two goroutines send to each other.
func exchange(over *atomic.Bool, turns *atomic.Int32) {
	there, back := make(chan int), make(chan int)
	defer close(there)
	go func() {
		for v := range there {
			back <- v
		}
	}()
	for !over.Load() {
		there <- 1
		<-back
		turns.Add(1)
	}
}

func main() {
	for round := range rounds {
		rt := freerun.New(freerun.Processors(1+round%2), freerun.Grace(0), freerun.Logger(slog.New(slog.DiscardHandler)))
		var over atomic.Bool
		var begun, turns atomic.Int32
		var ended sync.WaitGroup
		for range several {
			ended.Add(1)
			activity.Go(rt, func(*activity.Activity) {
				defer ended.Done()
				begun.Add(1)
				exchange(&over, &turns)
			})
		}
		for begun.Load() < several || turns.Load() < 50 {
		}
		err := rt.Close()
		var left *freerun.ShutdownError
		if !errors.As(err, &left) || left.Abandoned != 0 || left.Ended != 0 || len(left.Running) != several {
			fmt.Println("round", round, err)
		}
		over.Store(true)
		ended.Wait()
	}
}
`

// TestGivenUpAnywhere holds that no activity is missed at the end of its runtime, wherever it is on
// its way: from a queue to a processor, from there to a channel, and back to a queue.
func TestGivenUpAnywhere(t *testing.T) {
	dir := newModule(t, map[string]string{"main.go": givenUpAnywhere})
	if got := must(t, dir, binary, "run", "."); got != "" {
		t.Error(got)
	}
}
