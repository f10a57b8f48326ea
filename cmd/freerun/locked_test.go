package main

import (
	"os/exec"
	"runtime"
	"testing"
)

// TestLockedThread: an activity that only computes while it is locked to its thread does the same
// with checks as without. So does an activity that yields and waits there.
func TestLockedThread(t *testing.T) {
	dir := newModule(t, map[string]string{"main.go": `package main

import (
	"fmt"
	"runtime"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

func main() {
	rt := freerun.New(freerun.Processors(1))
	defer rt.Close()
	total := 0
	var all []*activity.Activity
	for range 4 {
		all = append(all, activity.Go(rt, func(a *activity.Activity) {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			n := 0
			for i := 0; i < 300_000; i++ {
				n += i % 3
			}
			a.Yield()
			total += n
		}))
	}
	for _, a := range all {
		if err := a.Wait(rt.Context()); err != nil {
			panic(err)
		}
	}
	fmt.Print(total)
}
`})
	for _, command := range [][]string{{"go", "run", "."}, {binary, "run", "."}} {
		if got := must(t, dir, command[0], command[1:]...); got != "1200000" {
			t.Errorf("%s: %s, want 1200000", command, got)
		}
	}
}

// TestCallbackFromC: an activity that C has called back yields, sleeps, awaits, blocks and computes
// as anywhere else, and then goes on in C.
func TestCallbackFromC(t *testing.T) {
	if _, err := exec.LookPath("gcc"); err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no C compiler")
	}
	dir := newModule(t, map[string]string{
		"c.c": "extern int called(int);\n\nint call(int n) { return called(n) + called(n); }\n",
		"main.go": `package main

// int call(int n);
import "C"

import (
	"fmt"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

var (
	running [4]*activity.Activity
	unit    *freerun.Unit[int]
	add     = freerun.Op("add", func(_ *freerun.Context, total *int, n int) (int, error) {
		*total += n
		return *total, nil
	})
)

//export called
func called(n C.int) C.int {
	work(running[n])
	return 1
}

func work(a *activity.Activity) {
	n := 0
	for i := 0; i < 100_000; i++ {
		n += i % 3
	}
	a.Yield()
	if err := a.Sleep(time.Microsecond); err != nil {
		panic(err)
	}
	if _, err := add.Send(freerun.ContextOf(a), unit, n).Await(a); err != nil {
		panic(err)
	}
	a.Block(func() { time.Sleep(time.Microsecond) })
	a.Block(a.Yield)
}

func main() {
	rt := freerun.New(freerun.Processors(2))
	defer rt.Close()
	unit = freerun.NewUnit(rt, 0)
	var all []*activity.Activity
	for i := range running {
		all = append(all, activity.Go(rt, func(a *activity.Activity) {
			for range 10 {
				running[i] = a
				if C.call(C.int(i)) != 2 {
					panic("C")
				}
				a.Yield()
			}
		}))
	}
	for _, a := range all {
		if err := a.Wait(rt.Context()); err != nil {
			panic(err)
		}
	}
	fmt.Print(add.Send(rt.Context(), unit, 0).Wait(rt.Context()))
}
`,
	})
	for _, command := range [][]string{{"go", "run", "."}, {binary, "run", "."}, {binary, "run", "-race", "."}} {
		if got := must(t, dir, command[0], command[1:]...); got != "7999920 <nil>" {
			t.Errorf("%s: %s, want 7999920 <nil>", command, got)
		}
	}
}
