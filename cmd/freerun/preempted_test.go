package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// preemptedLoops is a program with two activities on one processor. One is in a loop that knows
// nothing of activities, of the kind that the first argument names, until the other has run, or for
// as long as the second argument says. The program reports whether the other has run meanwhile.
const preemptedLoops = `package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"example.org/dep"
	"example.org/user/helper"
	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

var loops = map[string]func(until func() bool){
	"helper":    helper.Loop,
	"goto":      helper.Goto,
	"recursion": helper.Circle,
	"other":     dep.Loop,
	"dynamic":   func(until func() bool) { dep.Each(dep.Numbers{}, until) },
	"locked": func(until func() bool) {
		var mu sync.Mutex
		mu.Lock()
		defer mu.Unlock()
		dep.Loop(until)
	},
	"exempt": helper.Exempt,
	"called": func(until func() bool) { helper.Exempt(func() bool { helper.Loop(until); return true }) },
	"main": exempt,
	"spin": func(until func() bool) { for !until() { runtime.Gosched() } },
}

//freerun:uncooperative
func exempt(until func() bool) {
	for !until() {
	}
}

func main() {
	rt := freerun.New(freerun.Processors(1))
	defer rt.Close()
	limit, err := time.ParseDuration(os.Args[2])
	if err != nil {
		panic(err)
	}
	var had atomic.Bool
	before := false // what the last call of until has seen
	a := activity.Go(rt, func(a *activity.Activity) {
		begin := time.Now()
		begun := false
		loops[os.Args[1]](func() bool {
			if !begun { // not before the loop, where nothing is exempt
				begun = true
				activity.Go(a, func(*activity.Activity) { had.Store(true) })
			}
			before = had.Load()
			return before || time.Since(begin) > limit
		})
	})
	if err := a.Wait(context.Background()); err != nil {
		panic(err)
	}
	fmt.Print(before)
}
`

const preemptedHelper = `package helper

// Loop calls until.
func Loop(until func() bool) {
	for !until() {
	}
}

// Goto does that without a loop.
func Goto(until func() bool) {
again:
	if !until() {
		goto again
	}
}

// Circle does it in a deep recursion.
func Circle(until func() bool) {
	for !until() {
		Even(1<<17, until)
	}
}

// Even and Odd do it in a circle.
func Even(n int, until func() bool) bool { return n == 0 || until() || Odd(n-1, until) }

func Odd(n int, until func() bool) bool { return n != 0 && !until() && Even(n-1, until) }

// Exempt keeps its processor, also in what it calls.
//
//freerun:uncooperative
func Exempt(until func() bool) {
	for !until() {
	}
}
`

const preemptedDep = `package dep

func Loop(until func() bool) {
	for !until() {
	}
}

type Numbers struct{}

func (Numbers) Next(until func() bool) bool { return !until() }

type next interface{ Next(until func() bool) bool }

func Each(n next, until func() bool) {
	for n.Next(until) {
	}
}
`

// TestPreempted: a loop in code that knows nothing of activities, in a helper or in another module,
// starves another activity on one processor. Compiled by freerun, it shares the processor, unless
// it is exempt.
func TestPreempted(t *testing.T) {
	dir := newModule(t, map[string]string{
		"go.mod": "module example.org/user\n\ngo 1.26\n\nrequire (\n\texample.org/dep v0.0.0\n\tgithub.com/freerun-go/freerun v0.0.0\n)\n\n" +
			"replace (\n\texample.org/dep => ./dep\n\tgithub.com/freerun-go/freerun => FREERUN\n)\n",
		"main.go": preemptedLoops, "helper/helper.go": preemptedHelper, "dep/dep.go": preemptedDep, "dep/go.mod": "module example.org/dep\n\ngo 1.26\n",
	})
	must(t, dir, "go", "build", "-o", "without", ".")
	must(t, dir, binary, "build", "-o", "with", ".")
	must(t, dir, binary, "build", "-race", "-o", "race", ".")
	// The go command does it by itself, but for exempt functions.
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	overlay := strings.TrimSpace(must(t, dir, binary, "overlay"))
	if again := strings.TrimSpace(must(t, dir, binary, "overlay")); again != overlay {
		t.Errorf("the overlay is %s, and then %s", overlay, again)
	}
	must(t, dir, "go", "build", "-overlay", overlay, "-o", "overlaid", ".")
	must(t, dir, binary, "build", "-overlay", overlay, "-o", "both", ".")
	checkTurns(t, dir, "helper main", "main", "50ms", "./both")
	checkTurns(t, dir, "helper goto recursion other dynamic locked spin", "", "50ms", "./overlaid")
	checkTurns(t, dir, "helper goto recursion other dynamic locked spin exempt called main", "exempt called main", "50ms", "./with", "./race")
}

// checkTurns holds that of two activities on one processor the other one has its turn during work
// of these kinds, but for those that are exempt, in programs that freerun compiles; and that in the
// program without it has none. What is to end without a turn is given a short time.
func checkTurns(t *testing.T, dir, kinds, exempt, short string, programs ...string) {
	t.Helper()
	for _, kind := range strings.Fields(kinds) {
		if got := must(t, dir, "./without", kind, short); got != "false" {
			t.Errorf("%s: without freerun the other activity had its turn: %s", kind, got)
		}
		limit, want := "20s", !slices.Contains(strings.Fields(exempt), kind)
		if !want {
			limit = short
		}
		for _, program := range programs {
			if got := must(t, dir, program, kind, limit); got != fmt.Sprint(want) {
				t.Errorf("%s %s: the other activity had its turn: %s, want %t", program, kind, got, want)
			}
		}
	}
}
