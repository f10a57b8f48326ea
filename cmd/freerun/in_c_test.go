//go:build linux

package main

import (
	"os/exec"
	"testing"
)

// inC is a program with one processor whose activities are in C, for 20 ms each, and in callbacks
// from there. Before that they panic in callbacks, and recover outside of C; and they wait in C for
// a thread of C whose callback takes a lock that other activities have in system calls.
const inC = `package main

/*
#cgo LDFLAGS: -lpthread
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

extern int inGo(int);
static int inC(int n) { usleep(20000); n = inGo(n); usleep(20000); return n + 1; }

static void *runs(void *n) { inGo(-1); inGo(-1); return NULL; }
static int byThread(void) {
	pthread_t t;
	if (pthread_create(&t, NULL, runs, NULL) != 0) return 1;
	return pthread_join(t, NULL);
}
*/
import "C"

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

var mu sync.Mutex

//export inGo
func inGo(n C.int) C.int {
	switch {
	case n == -1:
		mu.Lock()
		defer mu.Unlock()
		return 0
	case n == -2:
		panic("in a callback")
	}
	for range 1000 {
		runtime.Gosched()
	}
	time.Sleep(time.Millisecond)
	return 2 * n
}

var turns atomic.Int64

// alone returns how many turns another activity has had meanwhile.
//
//freerun:uncooperative
func alone() int64 {
	before := turns.Load()
	for begin := time.Now(); time.Since(begin) < 3*time.Millisecond; {
	}
	return turns.Load() - before
}

func panicsInC() {
	defer func() { recover() }()
	C.inC(-2)
}

func panics(rt *freerun.Runtime) {
	var over atomic.Bool
	defer over.Store(true)
	activity.Go(rt, func(a *activity.Activity) {
		for !over.Load() {
			turns.Add(1)
			a.Yield()
		}
	})
	a := activity.Go(rt, func(a *activity.Activity) {
		for range 4 {
			panicsInC()
			if others := alone(); others != 0 {
				panic(fmt.Sprint("others had ", others, " turns"))
			}
		}
	})
	if err := a.Wait(context.Background()); err != nil {
		fmt.Println(err)
	}
}

func threads(rt *freerun.Runtime) {
	var all []*activity.Activity
	for me := range 20 {
		all = append(all, activity.Go(rt, func(a *activity.Activity) {
			for turn := range 100 {
				if (me+turn)%2 == 0 {
					if C.byThread() != 0 {
						panic("no thread")
					}
					continue
				}
				mu.Lock()
				pause := syscall.NsecToTimespec(int64(me * turn % 200 * 1000))
				syscall.Nanosleep(&pause, nil)
				mu.Unlock()
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
	defer rt.Close()
	panics(rt)
	threads(rt)
	var all []*activity.Activity
	turns, in, most := 0, 0, 0 // of one processor
	for n := range 50 {
		all = append(all, activity.Go(rt, func(a *activity.Activity) {
			for range 3 {
				in++
				most = max(most, in)
				if got := C.inC(C.int(n)); got != C.int(2*n+1) {
					panic(got)
				}
				in--
				turns++
				a.Yield()
			}
		}))
	}
	for _, a := range all {
		if err := a.Wait(context.Background()); err != nil {
			panic(err)
		}
	}
	fmt.Print(turns, " ", most > 10)
}
`

// TestInC: activities in C keep no processor.
func TestInC(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("there is no C compiler")
	}
	t.Setenv("CGO_ENABLED", "1")
	dir := newModule(t, map[string]string{"main.go": inC})
	must(t, dir, binary, "build", "-o", "with", ".")
	must(t, dir, binary, "build", "-race", "-o", "race", ".")
	for _, program := range []string{"./with", "./race"} {
		if got := must(t, dir, program); got != "150 true" {
			t.Errorf("%s: %s", program, got)
		}
	}
}
