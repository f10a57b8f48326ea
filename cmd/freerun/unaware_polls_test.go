package main

import (
	"fmt"
	"strings"
	"testing"
)

// unawareLoops is a program with two activities on one processor. One is in a loop that knows
// nothing of activities, of the kind that the first argument names, until the other has run, or for
// as long as the second argument says. The program reports whether the other has run meanwhile.
const unawareLoops = `package main

import (
	"context"
	"fmt"
	"os"
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
}

func main() {
	rt := freerun.New(freerun.Processors(1))
	defer rt.Close()
	limit, err := time.ParseDuration(os.Args[2])
	if err != nil {
		panic(err)
	}
	var had atomic.Bool
	before := false
	a := activity.Go(rt, func(a *activity.Activity) {
		activity.Go(a, func(*activity.Activity) { had.Store(true) })
		loops[os.Args[1]](helper.Until(&had, limit))
		before = had.Load()
	})
	if err := a.Wait(context.Background()); err != nil {
		panic(err)
	}
	fmt.Print(before)
}
`

const unawareHelper = `package helper

import (
	"sync/atomic"
	"time"
)

// Until has no polls.
//
//freerun:uncooperative
func Until(had *atomic.Bool, limit time.Duration) func() bool {
	begin := time.Now()
	return func() bool { return had.Load() || time.Since(begin) > limit }
}

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

// Circle does it in a recursion, which is not so deep that polls do not look through it.
//
//freerun:uncooperative
func Circle(until func() bool) {
	for !until() {
		Even(1<<12, until)
	}
}

// Even and Odd do it in a circle.
func Even(n int, until func() bool) bool { return n == 0 || until() || Odd(n-1, until) }

func Odd(n int, until func() bool) bool { return n != 0 && !until() && Even(n-1, until) }

// Exempt keeps its processor.
//
//freerun:uncooperative
func Exempt(until func() bool) {
	for !until() {
	}
}
`

const unawareDep = `package dep

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

// TestPollsShare: a loop in code that knows nothing of activities, in a helper or in another
// module, starves another activity on one processor. Compiled with polls, it shares the processor.
func TestPollsShare(t *testing.T) {
	dir := newModule(t, map[string]string{
		"go.mod": "module example.org/user\n\ngo 1.26\n\nrequire (\n\texample.org/dep v0.0.0\n\tgithub.com/freerun-go/freerun v0.0.0\n)\n\n" +
			"replace (\n\texample.org/dep => ./dep\n\tgithub.com/freerun-go/freerun => FREERUN\n)\n",
		"main.go": unawareLoops, "helper/helper.go": unawareHelper, "dep/dep.go": unawareDep, "dep/go.mod": "module example.org/dep\n\ngo 1.26\n",
	})
	must(t, dir, "go", "build", "-o", "without", ".")
	must(t, dir, binary, "build", "-o", "with", ".")
	checkTurns(t, dir, "helper goto recursion other dynamic locked exempt", "exempt", "50ms", "./with")
}

// checkTurns holds that of two activities on one processor the other one has its turn during work
// of these kinds, but for one that is exempt, in programs with polls; and that in the program
// without it has none. What is to end without a turn is given a short time.
func checkTurns(t *testing.T, dir, kinds, exempt, short string, programs ...string) {
	t.Helper()
	for _, kind := range strings.Fields(kinds) {
		if got := must(t, dir, "./without", kind, short); got != "false" {
			t.Errorf("%s: without polls the other activity had its turn: %s", kind, got)
		}
		limit, want := "20s", kind != exempt
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
