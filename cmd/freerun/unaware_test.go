package main

import "testing"

// unaware is a program whose activities wait for each other as goroutines do, in code that knows
// nothing of activities, while they yield in between. Its argument is the kind of runtime.
const unaware = `package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

const (
	each  = 8
	turns = 200
)

// inTurns has activities call do, many times each, and returns when all have.
func inTurns(rt *freerun.Runtime, do func(a *activity.Activity, me int)) {
	var all []*activity.Activity
	for me := range each {
		all = append(all, activity.Go(rt, func(a *activity.Activity) {
			for range turns {
				do(a, me)
			}
		}))
	}
	for _, a := range all {
		if err := a.Wait(context.Background()); err != nil {
			fmt.Println(err)
		}
	}
}

func main() {
	rt := freerun.New(freerun.Processors(1))
	simulated := os.Args[1] == "deterministic"
	if simulated {
		rt = freerun.New(freerun.Deterministic(1))
	}
	defer rt.Close()
	n := 0
	say := func(what string) {
		fmt.Println(what, n)
		n = 0
	}

	var mutex sync.Mutex
	inTurns(rt, func(a *activity.Activity, me int) {
		mutex.Lock()
		defer mutex.Unlock()
		a.Yield()
		n++
	})
	say("a mutex")

	var kept atomic.Pointer[[1 << 18]byte]
	var collected atomic.Int64 // an activity may be preempted in the middle of n++
	inTurns(rt, func(a *activity.Activity, me int) {
		kept.Store(new([1 << 18]byte))
		if collected.Add(1)%100 == 0 { // with locks of Go's own
			go runtime.GC()
			runtime.GC()
		}
	})
	n = int(collected.Load())
	say("collections")

	var rw sync.RWMutex
	reads := make([]int, each)
	inTurns(rt, func(a *activity.Activity, me int) {
		rw.RLock()
		a.Yield()
		_ = reads[0]
		rw.RUnlock()
		rw.Lock()
		a.Yield()
		n++
		rw.Unlock()
	})
	say("a mutex of readers and writers")

	var onces [turns]sync.Once
	var at [each]int
	var first sync.Mutex
	inTurns(rt, func(a *activity.Activity, me int) {
		first.Lock()
		i := slices.Index(at[:], slices.Min(at[:]))
		once := &onces[at[i]]
		at[i]++
		first.Unlock()
		once.Do(func() {
			a.Yield()
			n++
		})
	})
	say("onces")

	cond, whose := sync.NewCond(&mutex), 0
	inTurns(rt, func(a *activity.Activity, me int) {
		mutex.Lock()
		for whose != me {
			cond.Wait()
		}
		a.Yield()
		whose = (whose + 1) % each
		n++
		cond.Broadcast()
		mutex.Unlock()
	})
	say("a condition")

	free := make(chan int, 1) // a pool of one connection
	activity.Go(rt, func(a *activity.Activity) { free <- 0 })
	inTurns(rt, func(a *activity.Activity, me int) {
		v := <-free
		a.Yield()
		n++
		if v++; v < each*turns {
			free <- v
		}
	})
	say("a channel")

	room := 0
	if simulated { // two activities never meet in a channel without room
		room = 1
	}
	in, never := make(chan int, room), make(chan int)
	inTurns(rt, func(a *activity.Activity, me int) {
		if me%2 == 0 {
			select {
			case in <- 1:
			case <-never:
			}
		} else {
			select {
			case v := <-in:
				n += v
			case <-never:
			}
		}
		a.Yield()
	})
	say("a select")

	var all sync.WaitGroup
	all.Add(each)
	activity.Go(rt, func(a *activity.Activity) {
		for range each {
			a.Yield()
			n++
			all.Done()
		}
	})
	w := activity.Go(rt, func(*activity.Activity) { all.Wait() })
	if err := w.Wait(context.Background()); err != nil {
		fmt.Println(err)
	}
	say("a wait group")

	if !simulated {
		sleep := func(*activity.Activity) { time.Sleep(time.Millisecond) }
		activity.Go(rt, sleep)
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		activity.Go(rt, func(*activity.Activity) {
			c, err := l.Accept()
			if err == nil {
				_, err = io.Copy(c, c)
			}
			if err != nil {
				fmt.Println(err)
			}
			c.Close()
		})
		echo := activity.Go(rt, func(a *activity.Activity) {
			c, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				panic(err)
			}
			defer c.Close()
			for range turns {
				fmt.Fprintln(c, "hello")
				if _, err := fmt.Fscanln(c, new(string)); err != nil {
					panic(err)
				}
				n++
			}
		})
		if err := echo.Wait(context.Background()); err != nil {
			fmt.Println(err)
		}
		say("the network")
	}
}
`

const said = `a mutex 1600
collections 1600
a mutex of readers and writers 1600
onces 200
a condition 1600
a channel 1600
a select 800
a wait group 8
`

// TestUnaware holds that an activity which waits as a goroutine does, for what another activity of
// its processor has, keeps nobody waiting.
func TestUnaware(t *testing.T) {
	dir := newModule(t, map[string]string{"main.go": unaware})
	for _, x := range []struct {
		want string
		args []string
	}{
		{said + "the network 200\n", []string{"run", ".", "real"}},
		{said + "the network 200\n", []string{"run", "-race", ".", "real"}},
		{said, []string{"run", ".", "deterministic"}},
	} {
		if got := must(t, dir, binary, x.args...); got != x.want {
			t.Errorf("%q: %s, want %s", x.args, got, x.want)
		}
	}
}

// unawareEnds is a program whose runtime gives up while an activity waits for a sync.Mutex.
const unawareEnds = `package main

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

func main() {
	rt := freerun.New(freerun.Processors(1), freerun.Logger(slog.New(slog.DiscardHandler)))
	var mu sync.Mutex
	mu.Lock()
	var got, ended sync.WaitGroup
	got.Add(1)
	ended.Add(1)
	a := activity.Go(rt, func(a *activity.Activity) {
		defer ended.Done()
		mu.Lock()
		got.Done()
		mu.Unlock()
		a.Yield()
		fmt.Println("it has not ended")
	})
	time.Sleep(20 * time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	fmt.Println(rt.Shutdown(ctx))
	mu.Unlock()
	got.Wait()
	ended.Wait()
	fmt.Println(a.Wait(context.Background()))
	mu.Lock()
	fmt.Println("locked")
}
`

// TestUnawareEnds holds that an activity whose runtime gives up while it waits for a lock has the
// lock then, and ends where it next yields.
func TestUnawareEnds(t *testing.T) {
	dir := newModule(t, map[string]string{"main.go": unawareEnds})
	const want = "freerun: closed; messages abandoned: 0; operations that did not return: main.main.func1: context deadline exceeded\nfreerun: runtime is closed\nlocked\n"
	if got := must(t, dir, binary, "run", "."); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
