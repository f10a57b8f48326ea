package main

import "testing"

// unawareBelow is a program in which an activity yields while it has a lock, and code of other
// kinds than an activity's own function waits for the lock on the same processor.
const unawareBelow = `package main

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	_ "unsafe"

	_ "example.org/user/first"
	_ "example.org/user/second"
	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/lock"
)

var (
	mu sync.Mutex
	n  int
)

// count waits for the lock.
func count() int {
	mu.Lock()
	defer mu.Unlock()
	n++
	return n
}

var (
	onUnit = freerun.Op("onUnit", func(*freerun.Context, *int, int) (int, error) { return count(), nil })
	noted  = freerun.Op("noted", freerun.NoResult(func(*freerun.Context, *int, int) error { count(); return nil }))
	free   = freerun.FreeOp("free", func(*freerun.Context, int) (int, error) { return count(), nil })
	small  = freerun.SmallOp("small", func(*freerun.Context, int) (int, error) { return count(), nil })
	onTwo  = freerun.Op2("onTwo", func(*freerun.Context, *int, *int, int) (int, error) { return count(), nil })
	onAll  = freerun.OpAll("onAll", func(*freerun.Context, []*int, int) (int, error) { return count(), nil })
	reads  = freerun.ReadOp("reads", func(*freerun.Context, *int, int) (int, error) { return count(), nil })
	kind   = freerun.NewKind("kind", func(*freerun.Context, int) (int, error) { return count(), nil },
		freerun.OnStop(func(*freerun.Context, int, *int) { count() }))
	fork   = freerun.NewForkFunc[int, int](nil)
	_      = freerun.Define(fork, func(c *freerun.Context, n int) int {
		if n == 0 {
			return count()
		}
		a, b := fork.Join(c, n-1, n-1)
		return a + b
	})
)

func branches(c *freerun.Context) {
	branch := func(*freerun.Context) int { return count() }
	freerun.Join(c, branch, branch)
	freerun.For(c, 3, func(*freerun.Context, int) { count() })
}

// held has an activity hold the lock while it yields, and calls begin meanwhile.
func held(rt *freerun.Runtime, what string, begin func(a *activity.Activity)) {
	n = 0
	a := activity.Go(rt, func(a *activity.Activity) {
		mu.Lock()
		defer mu.Unlock()
		begin(a)
		for range 100 {
			a.Yield()
		}
	})
	if err := a.Wait(context.Background()); err != nil {
		fmt.Println(err)
	}
	if err := rt.Quiesce(context.Background()); err != nil {
		fmt.Println(err)
	}
	fmt.Println(what, n)
}

//go:linkname pin runtime.procPin
func pin() int

//go:linkname unpin runtime.procUnpin
func unpin()

func main() {
	runtime.SetBlockProfileRate(1)
	rt := freerun.New(freerun.Processors(1))
	defer rt.Close()
	u, c := freerun.NewUnit(rt, 0), rt.Context()
	held(rt, "operations", func(*activity.Activity) {
		for range 10 {
			onUnit.Send(c, u, 0)
			onUnit.Tell(c, u, 0)
			noted.Send(c, u, 0)
			free.Send(c, 0)
			freerun.Do(c, u, func(*freerun.Context, *int) (int, error) { return count(), nil })
			freerun.Go(c, func(*freerun.Context) (int, error) { return count(), nil })
		}
	})
	all := func(*activity.Activity) {
		v := freerun.NewUnit(rt, 0)
		freerun.Go(c, func(c *freerun.Context) (int, error) {
			small.Send(c, 0)
			small.Send(c, 0)
			return 0, nil
		})
		onTwo.Send(c, u, v, 0)
		onTwo.Tell(c, u, v, 0)
		onAll.Send(c, []*freerun.Unit[int]{u, v}, 0)
		reads.Send(c, u, 0)
		freerun.Read(c, u, func(*freerun.Context, *int) (int, error) { return count(), nil })
		onUnit.Tell(c, kind.At(c, 1), 0)
		kind.Stop(c, 1)
	}
	held(rt, "other operations", all)
	around := freerun.New(freerun.Processors(1), freerun.InterceptAll(func(c *freerun.Context, i *freerun.Invocation) error {
		count()
		return i.Next(c)
	}))
	defer around.Close()
	c, u = around.Context(), freerun.NewUnit(around, 0)
	held(around, "around operations", func(*activity.Activity) {
		onUnit.Send(c, u, 0)
		onUnit.Tell(c, u, 0)
	})
	c, u = rt.Context(), freerun.NewUnit(rt, 0)
	held(rt, "branches", func(*activity.Activity) {
		freerun.Go(c, func(c *freerun.Context) (int, error) {
			branches(c)
			return fork.Run(c, 3), nil
		})
	})
	held(rt, "branches of an activity", func(a *activity.Activity) {
		activity.Go(a, func(a *activity.Activity) { branches(c) })
	})
	var m activity.Monitor
	held(rt, "a monitor", func(a *activity.Activity) {
		activity.Go(a, func(a *activity.Activity) {
			if err := m.Do(a, func() error { count(); return nil }); err != nil {
				fmt.Println(err)
			}
		})
	})
	for _, l := range []sync.Locker{new(lock.MCS), new(lock.CLH), new(lock.Backoff)} {
		n = 0
		var all []*activity.Activity
		for range 4 {
			all = append(all, activity.Go(rt, func(a *activity.Activity) {
				for range 50 {
					l.Lock()
					a.Yield()
					n++
					l.Unlock()
				}
			}))
		}
		for _, a := range all {
			if err := a.Wait(context.Background()); err != nil {
				fmt.Println(err)
			}
		}
		fmt.Printf("%T %d\n", l, n)
	}
	held(rt, "a P that is held", func(a *activity.Activity) {
		for range 2 {
			activity.Go(a, func(*activity.Activity) {
				pin()
				work(20_000_000)
				unpin()
			})
		}
	})
}

//go:noinline
func work(turns int) {
	for i := range turns {
		sink += uint32(i)
	}
}

var sink uint32
`

// order are two packages. The first has an exempt function, which it tells freerun, and the second
// has none: their order stays what it is.
var order = map[string]string{
	"first/first.go":   "package first\n\nvar turns = 10\n\n// f is exempt.\n//\n//freerun:uncooperative\nfunc f(int) {}\n\nfunc init() {\n\tfor i := 0; i < turns; i++ {\n\t\tf(i)\n\t}\n\tprintln(\"first\")\n}\n",
	"second/second.go": "package second\n\nfunc init() { println(\"second\") }\n",
}

const saidBelow = `operations 60
other operations 10
around operations 4
branches 13
branches of an activity 5
a monitor 1
*lock.MCS 200
*lock.CLH 200
*lock.Backoff 200
a P that is held 0
`

// TestUnawareBelow holds that operations, branches, and what waits for locks that are not Go's keep
// nobody waiting for a lock that an activity has while it yields, either; and that a program's
// packages are initialized in the order that Go has.
func TestUnawareBelow(t *testing.T) {
	files := map[string]string{"main.go": unawareBelow, "empty.s": ""}
	for name, text := range order {
		files[name] = text
	}
	dir := newModule(t, files)
	for _, flags := range [][]string{{"run", "."}, {"run", "-race", "."}} {
		out, errs, status := in(t, dir, binary, flags...)
		if out != saidBelow || errs != "first\nsecond\n" || status != 0 {
			t.Errorf("%q: exit status %d: %s %s, want %s", flags, status, out, errs, saidBelow)
		}
	}
}
