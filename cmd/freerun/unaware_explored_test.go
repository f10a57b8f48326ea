package main

import (
	"regexp"
	"strings"
	"testing"
)

// unawareExplored are tests whose activities wait for each other as goroutines do, under many
// schedules.
const unawareExplored = `package user

import (
	"sync"
	"testing"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/freeruntest"
)

var add = freerun.Op("add", func(c *freerun.Context, s *int, n int) (int, error) { *s += n; return *s, nil })

var bodies = map[string]func(t *testing.T, rt *freerun.Runtime){
	"yield": func(t *testing.T, rt *freerun.Runtime) {
		var mu sync.Mutex
		for range 3 {
			activity.Go(rt, func(a *activity.Activity) {
				mu.Lock()
				a.Yield()
				mu.Unlock()
			})
		}
	},
	"await": func(t *testing.T, rt *freerun.Runtime) {
		var mu sync.Mutex
		for range 3 {
			activity.Go(rt, func(a *activity.Activity) {
				mu.Lock()
				freerun.Go(freerun.ContextOf(a), func(c *freerun.Context) (int, error) { return 1, nil }).Await(a)
				mu.Unlock()
			})
		}
	},
	"tell": func(t *testing.T, rt *freerun.Runtime) {
		var mu sync.Mutex
		u := freerun.NewUnit(rt, 0)
		for range 3 {
			activity.Go(rt, func(a *activity.Activity) {
				mu.Lock()
				add.Tell(freerun.ContextOf(a), u, 1)
				mu.Unlock()
			})
		}
	},
	"checks": func(t *testing.T, rt *freerun.Runtime) {
		var mu sync.Mutex
		for range 3 {
			activity.Go(rt, func(a *activity.Activity) {
				mu.Lock()
				x := 0
				for i := range 100_000 {
					x += i
				}
				mu.Unlock()
			})
		}
	},
	"sleep": func(t *testing.T, rt *freerun.Runtime) {
		var mu sync.Mutex
		for range 3 {
			activity.Go(rt, func(a *activity.Activity) {
				mu.Lock()
				a.Sleep(time.Minute) // in virtual time
				mu.Unlock()
			})
		}
	},
	"channel": func(t *testing.T, rt *freerun.Runtime) {
		c := make(chan int, 1)
		for range 2 {
			activity.Go(rt, func(a *activity.Activity) { <-c })
			activity.Go(rt, func(a *activity.Activity) { c <- 1 })
		}
	},
	"select": func(t *testing.T, rt *freerun.Runtime) {
		c, never := make(chan int, 1), make(chan int)
		for range 2 {
			activity.Go(rt, func(a *activity.Activity) {
				select {
				case <-c:
				case <-never:
				}
			})
			activity.Go(rt, func(a *activity.Activity) {
				a.Yield()
				select {
				case c <- 1:
				case <-never:
				}
			})
		}
	},
	"cond": func(t *testing.T, rt *freerun.Runtime) {
		var mu sync.Mutex
		c, whose := sync.NewCond(&mu), 0
		for me := range 3 {
			activity.Go(rt, func(a *activity.Activity) {
				mu.Lock()
				for whose != me {
					c.Wait()
				}
				a.Yield()
				whose++
				c.Broadcast()
				mu.Unlock()
			})
		}
	},
	"group": func(t *testing.T, rt *freerun.Runtime) {
		var begun sync.WaitGroup
		begun.Add(3)
		for range 3 {
			activity.Go(rt, func(a *activity.Activity) {
				a.Yield()
				begun.Done()
				begun.Wait()
			})
		}
	},
	"goroutine": func(t *testing.T, rt *freerun.Runtime) {
		activity.Go(rt, func(a *activity.Activity) {
			var group sync.WaitGroup
			c := make(chan int)
			for range 3 {
				group.Go(func() { <-c })
			}
			for range 3 {
				c <- 1
			}
			group.Wait()
			select {
			case <-time.After(time.Millisecond):
			case <-c:
			}
		})
	},
	"outside": func(t *testing.T, rt *freerun.Runtime) {
		var mu sync.Mutex
		mu.Lock()
		waits := activity.Go(rt, func(a *activity.Activity) {
			mu.Lock()
			mu.Unlock()
		})
		activity.Go(rt, func(a *activity.Activity) { a.Sleep(time.Second) }).Wait(t.Context())
		mu.Unlock()
		if err := waits.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
	},
}

func TestExplored(t *testing.T) {
	for name, body := range bodies {
		t.Run(name, func(t *testing.T) {
			freeruntest.Explore(t, func(rt *freerun.Runtime) {
				body(t, rt)
				if err := rt.Quiesce(t.Context()); err != nil {
					t.Fatal(err)
				}
			}, freeruntest.Runs(200))
		})
	}
}

func TestSeeds(t *testing.T) {
	for name, body := range bodies {
		for seed := range uint64(50) {
			rt := freerun.New(freerun.Deterministic(seed))
			body(t, rt)
			if err := rt.Quiesce(t.Context()); err != nil {
				t.Fatal(name, seed, err)
			}
			if err := rt.Close(); err != nil {
				t.Fatal(name, seed, err)
			}
		}
	}
}
`

// TestUnawareExplored: under no schedule is an activity that waits as a goroutine does chosen for
// ever, in place of the one that it waits for.
func TestUnawareExplored(t *testing.T) {
	dir := newModule(t, map[string]string{"user_test.go": unawareExplored})
	must(t, dir, binary, "test", "-timeout=60s", ".")
}

// unawareStalls is a test whose activities wait for what never comes, and one that fails under a
// schedule that depends on checks.
const unawareStalls = `package user

import (
	"sync"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/freeruntest"
)

func TestStalls(t *testing.T) {
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		var left, right sync.Mutex
		var group sync.WaitGroup
		group.Add(1)
		var never chan int
		eats := func(first, second *sync.Mutex) func(a *activity.Activity) {
			return func(a *activity.Activity) {
				first.Lock()
				defer first.Unlock()
				a.Yield()
				second.Lock() // line 23
				second.Unlock()
			}
		}
		activity.Go(rt, eats(&left, &right), activity.Named("plato"))
		activity.Go(rt, eats(&right, &left), activity.Named("kant"))
		activity.Go(rt, func(a *activity.Activity) { group.Wait() }, activity.Named("waits"))     // line 29
		activity.Go(rt, func(a *activity.Activity) { <-never }, activity.Named("receives"))       // line 30
		activity.Go(rt, func(a *activity.Activity) { select {} }, activity.Named("selects"))      // line 31
		if err := rt.Quiesce(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

func TestLost(t *testing.T) {
	freeruntest.Explore(t, func(rt *freerun.Runtime) {
		shared := 0
		for range 2 {
			activity.Go(rt, func(a *activity.Activity) {
				v, x := shared, 0
				for i := range 100_000 {
					x = x*3 + i
				}
				shared = v + 1
			})
		}
		if err := rt.Quiesce(t.Context()); err != nil {
			t.Fatal(err)
		}
		if shared != 2 {
			t.Errorf("shared is %d", shared)
		}
	})
}
`

// TestUnawareStalls: activities that wait as goroutines do for what never comes are a deadlock,
// whose message names each; and the command that Explore prints repeats what has failed.
func TestUnawareStalls(t *testing.T) {
	dir := newModule(t, map[string]string{"user_test.go": unawareStalls})
	overlay := strings.TrimSpace(must(t, dir, binary, "overlay"))
	again := regexp.MustCompile(`to run it again: (FREERUN_SEED=\d+) (.*) -run '(.*)'\n`)
	for _, x := range []struct {
		command, args []string
		said          string
		want          []string
	}{
		{[]string{binary, "test"}, []string{"-timeout=60s", "-run=Stalls", "."}, "freerun test", []string{
			"nothing is left to run",
			"plato waits in sync.(*Mutex).Lock, called at user_test.go:23\n",
			"kant waits in sync.(*Mutex).Lock, called at user_test.go:23\n",
			"waits waits in sync.(*WaitGroup).Wait, called at user_test.go:29\n",
			"receives waits in a channel operation, called at user_test.go:30\n",
			"selects waits in a channel operation, called at user_test.go:31\n",
		}},
		{[]string{"go", "test"}, []string{"-overlay=" + overlay, "-timeout=60s", "-run=Stalls", "."}, `go test -overlay "$(freerun overlay)"`, []string{"kant waits in sync.(*Mutex).Lock"}},
		{[]string{binary, "test"}, []string{"-run=Lost", "."}, "freerun test", []string{"shared is 1"}},
		{[]string{binary, "test"}, []string{"-cover", "-run=Stalls", "."}, "freerun test -cover", nil},
	} {
		out, errs, status := in(t, dir, x.command[0], append(x.command[1:], x.args...)...)
		found := again.FindStringSubmatch(out)
		if status == 0 || found == nil || found[2] != x.said {
			t.Errorf("%q: exit status %d, want a line with %s: %s%s", x.args, status, x.said, out, errs)
			continue
		}
		for _, line := range x.want {
			if !strings.Contains(out, line) {
				t.Errorf("%q does not say %q: %s", x.args, line, out)
			}
		}
		c := command(dir, x.command[0], append(x.command[1:], x.args...)...)
		c.Env = append(c.Env, found[1])
		if repeated, _ := c.Output(); !strings.Contains(string(repeated), found[1]+" ") {
			t.Errorf("%q with %s: %s", x.args, found[1], repeated)
		}
	}
	// Under go test neither checks nor this kind of waiting exist.
	if out, _, status := in(t, dir, "go", "test", "-run=Lost", "."); status != 0 {
		t.Errorf("go test: %s", out)
	}
}
