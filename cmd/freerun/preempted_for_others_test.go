package main

import (
	"os/exec"
	"testing"
)

// spinsForOthers is a program with one processor and one P. An activity spins, in a way that the
// first argument names, until another goroutine, an ordinary one unless it says so, has set a flag.
const spinsForOthers = `package main

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

var flag atomic.Bool

func spin() {
	for !flag.Load() {
	}
}

//freerun:uncooperative
func exempt() { spin() }

func deep(n int) {
	if n > 0 {
		deep(n - 1)
	} else {
		spin()
	}
}

func politely() {
	for !flag.Load() {
		runtime.Gosched()
	}
}

func main() {
	runtime.GOMAXPROCS(1)
	kind, options, quanta := os.Args[1], []freerun.Option{freerun.Processors(1)}, 1
	switch kind {
	case "deterministic":
		options = []freerun.Option{freerun.Deterministic(1)}
	case "quanta":
		quanta = 255
	}
	rt := freerun.New(options...)
	defer rt.Close()
	for range 3 {
		flag.Store(false)
		a := activity.Go(rt, func(a *activity.Activity) {
			set := func() { flag.Store(true) }
			other := func() { activity.Go(a, func(*activity.Activity) { set() }) }
			switch kind {
			case "exempt":
				go set()
				exempt()
			case "block":
				other()
				a.Block(spin)
			case "condition":
				go set()
				var m activity.Monitor
				m.Do(a, func() error { return m.Await(a, func() bool { spin(); return true }) })
			case "deep":
				go set()
				deep(100_000)
			case "reflected":
				other()
				reflect.ValueOf(politely).Call(nil)
			case "deferred":
				other()
				defer politely()
			case "asked": // by others, for what they may ask for at any time
				go func() {
					for n := range 1000 {
						if a.Here() {
							panic("another goroutine is the activity")
						}
						a.Check(int32(100 * n))
						time.Sleep(10 * time.Microsecond)
					}
					set()
				}()
				spin()
			default:
				go set()
				spin()
			}
		}, activity.Quanta(quanta))
		if err := a.Wait(context.Background()); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Print("ended")
}
`

// TestPreemptedForOthers: an activity that does not yield where it is preempted, in an exempt
// function or elsewhere, keeps no ordinary goroutine from the only P, nor activities from the
// processor that it has given away.
func TestPreemptedForOthers(t *testing.T) {
	dir := newModule(t, map[string]string{"main.go": spinsForOthers})
	must(t, dir, binary, "build", "-o", "with", ".")
	must(t, dir, binary, "build", "-race", "-o", "race", ".")
	for _, program := range []string{"./with", "./race"} {
		for _, kind := range []string{"plain", "exempt", "deterministic", "quanta", "block", "condition", "deep", "reflected", "deferred", "asked"} {
			command := []string{program, kind}
			if taskset, err := exec.LookPath("taskset"); err == nil { // on one core no luck helps
				command = append([]string{taskset, "-c", "0"}, command...)
			}
			if got := must(t, dir, command[0], command[1:]...); got != "ended" {
				t.Errorf("%v: %s", command, got)
			}
		}
	}
}
