package freerun_test

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/runtimetest"
)

// A last is what a runtime does when it ends: what begin has begun must not return before release
// is closed. It calls begun when that runs.
type last struct {
	rt      *freerun.Runtime
	unit    *freerun.Unit[int]
	begun   func()
	release chan struct{}
}

var (
	lastOp = freerun.Op("last", func(c *freerun.Context, _ *int, do func(*freerun.Context)) (int, error) {
		do(c)
		return 0, nil
	})
	lastSmall = freerun.SmallOp("lastSmall", func(_ *freerun.Context, do func()) (int, error) {
		do()
		return 0, nil
	})
)

// in has an operation of the unit call do.
func (l *last) in(do func(c *freerun.Context)) freerun.Future[int] {
	return lastOp.Send(l.rt.Context(), l.unit, do)
}

// stay does not return before it may.
func (l *last) stay() {
	l.begun()
	<-l.release
}

func (l *last) released() bool {
	select {
	case <-l.release:
		return true
	default:
		return false
	}
}

// TestEndCountsOnce holds that the error of a runtime's end counts or names each message once,
// whatever it is doing. Ten messages are queued behind the one operation of the unit.
func TestEndCountsOnce(t *testing.T) {
	const queued = 10
	for name, k := range map[string]struct {
		begin            func(l *last)
		runs             int  // how many times begun is called
		alone            bool // on one processor, not two
		abandoned, ended uint64
		names            string
	}{
		"an operation": {begin: func(l *last) { l.in(func(*freerun.Context) { l.stay() }) }, names: "freerun_test.last"},
		"one that has left its processor": {
			begin: func(l *last) { l.in(func(c *freerun.Context) { c.Block(l.stay) }) },
			names: "freerun_test.last",
		},
		"one that is waited for": {
			begin: func(l *last) {
				f := l.in(func(*freerun.Context) { l.stay() })
				go func() { _, _ = f.Wait(t.Context()) }()
			},
			names: "freerun_test.last",
		},
		"a branch": {
			begin: func(l *last) {
				l.in(func(c *freerun.Context) { freerun.Join(stolenBranch2(c, func(*freerun.Context) { l.stay() })) })
			},
			names: "freerun_test.last",
		},
		"both branches": {
			begin: func(l *last) {
				l.in(func(c *freerun.Context) {
					both := func(*freerun.Context) int { l.stay(); return 0 }
					freerun.Join(c, both, both)
				})
			},
			runs: 2, names: "freerun_test.last",
		},
		"a branch that has left its processor": {
			begin: func(l *last) {
				l.in(func(c *freerun.Context) { freerun.Join(stolenBranch2(c, func(c *freerun.Context) { c.Block(l.stay) })) })
			},
			names: "freerun_test.last",
		},
		"always another branch": {
			begin: func(l *last) {
				l.in(func(c *freerun.Context) {
					spin := func(*freerun.Context) (n int) {
						for n < 100_000 && !l.released() {
							n++
						}
						return n
					}
					freerun.Join(c, spin, spin)
					for l.begun(); !l.released(); {
						freerun.Join(c, spin, spin)
					}
				})
			},
			names: "freerun_test.last",
		},
		"a small operation": {
			begin: func(l *last) {
				l.in(func(c *freerun.Context) { lastSmall.Send(c, l.stay) })
			},
			alone: true, names: "freerun_test.lastSmall",
		},
		"activities that wait, and one that does not": {
			begin: func(l *last) {
				l.in(func(c *freerun.Context) { c.Block(l.stay) })
				for range 3 {
					activity.Go(l.rt, func(a *activity.Activity) {
						l.begun()
						_, _ = activity.NewMailbox[int](1).Receive(a)
						t.Error("went on")
					})
				}
				activity.Go(l.rt, func(a *activity.Activity) { a.Block(l.stay) }, activity.Named("stays"))
			},
			runs: 5, ended: 3, names: "freerun_test.last stays",
		},
		"activities that have not begun": {
			begin: func(l *last) {
				l.in(func(c *freerun.Context) {
					for range 3 {
						activity.Go(c, func(*activity.Activity) { t.Error("has begun") })
					}
					l.stay()
				})
			},
			alone: true, abandoned: 3, names: "freerun_test.last",
		},
		"promises, and what waits for them": {
			begin: func(l *last) {
				l.in(func(c *freerun.Context) {
					p := freerun.NewPromise[int](c)
					freerun.Then(c, p.Future(), func(*freerun.Context, int) (int, error) { return 0, nil })
					l.stay()
				})
			},
			abandoned: 2, names: "freerun_test.last",
		},
	} {
		t.Run(name, func(t *testing.T) {
			processors := 2
			if k.alone {
				processors = 1
			}
			rt := runtimetest.Quiet(t, freerun.Processors(processors), freerun.Grace(0))
			var running sync.WaitGroup
			l := &last{rt: rt, unit: freerun.NewUnit(rt, 0), begun: running.Done, release: make(chan struct{})}
			running.Add(max(1, k.runs))
			k.begin(l)
			for range queued {
				runtimetest.AddOne.Send(rt.Context(), l.unit, 1)
			}
			running.Wait()
			err := rt.Close()
			close(l.release)
			var e *freerun.ShutdownError
			if !errors.As(err, &e) {
				t.Fatal(err)
			}
			slices.Sort(e.Running)
			if names := strings.Join(e.Running, " "); e.Abandoned != queued+k.abandoned || e.Ended != k.ended || names != k.names {
				t.Errorf("%v; want %d abandoned, %d ended, and %s", err, queued+k.abandoned, k.ended, k.names)
			}
		})
	}
}

// stolenBranch2 returns the arguments of a Join as stolenBranch does.
func stolenBranch2(c *freerun.Context, do func(c *freerun.Context)) (in *freerun.Context, f, g func(*freerun.Context) struct{}) {
	f, g = stolenBranch(do)
	return c, f, g
}

// TestEndAddsUp closes runtimes at any moment, while operations, activities and branches begin and
// end: what has not begun is abandoned, and of what does not return by itself all that has begun
// was ended or is named.
func TestEndAddsUp(t *testing.T) {
	for round := range 20 + runtimetest.Repeats(180) {
		rt := runtimetest.Quiet(t, freerun.Processors(1+round%2), freerun.Grace(0))
		u := freerun.NewUnit(rt, 0)
		var begun, endless, turns atomic.Int64
		var stop atomic.Bool
		forever := func(turn func()) {
			begun.Add(1)
			endless.Add(1)
			for !stop.Load() {
				turns.Add(1)
				turn()
			}
		}
		for range 3 {
			activity.Go(rt, func(a *activity.Activity) {
				forever(func() {
					a.Yield()
					a.Block(func() {})
				})
			})
			freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
				forever(func() { fib.Run(c, 8) })
				return 0, nil
			})
			freerun.Go(rt.Context(), func(c *freerun.Context) (int, error) {
				c.Block(func() { forever(runtime.Gosched) })
				return 0, nil
			})
			for range 10 {
				lastOp.Send(rt.Context(), u, func(*freerun.Context) { begun.Add(1) })
			}
		}
		const sent = 39
		for round%4 > 0 && turns.Load() < int64(round) {
			runtime.Gosched()
		}
		err := rt.Close()
		stop.Store(true)
		for s := rt.Stats(); s.Sent != s.Done; s = rt.Stats() {
			runtime.Gosched()
		}
		e, _ := errors.AsType[*freerun.ShutdownError](err)
		if e == nil {
			t.Fatal(err)
		}
		named := 0
		for _, name := range e.Running {
			if name != "freerun_test.last" { // which was about to return
				named++
			}
		}
		if e.Abandoned != uint64(sent-begun.Load()) || e.Ended+uint64(named) != uint64(endless.Load()) {
			t.Fatalf("round %d: of %d, %d have begun, and %d of those that do not return: %v", round, sent, begun.Load(), endless.Load(), err)
		}
	}
}
