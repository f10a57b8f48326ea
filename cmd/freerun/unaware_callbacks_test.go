package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// scenarios are what the program of TestUnawareCallbacks does: how a function of the user's comes
// to be called while an activity of the same processor has a lock that the function waits for. Each
// is the body of a function begin, which the activity calls in a runtime rt with the context c. It
// returns what is to be done in the end, or nil.
var scenarios = map[string]string{
	// operations
	"Op":           "op.Send(c, u, 0)",
	"Op told":      "op.Tell(c, u, 0)",
	"FreeOp":       "free.Send(c, 0)",
	"SmallOp":      "freerun.Go(c, func(c *freerun.Context) (int, error) { return 0, small.Tell(c, 0) })",
	"small inside": "freerun.Go(c, func(c *freerun.Context) (int, error) { return freerun.Forward(c, small.Send(c, 0)) })",
	"Op2":          "onTwo.Send(c, u, freerun.NewUnit(rt, 0), 0)",
	"OpAll":        "onAll.Send(c, []*freerun.Unit[int]{u}, 0)",
	"ReadOp":       "reads.Send(c, u, 0)",
	"NoResult":     "noted.Send(c, u, 0)",
	"Define":       "later.Send(c, u, 0)",
	"Do":           "freerun.Do(c, u, func(*freerun.Context, *int) (int, error) { return count(), nil })",
	"Go":           "freerun.Go(c, function)",
	"Read":         "freerun.Read(c, u, func(*freerun.Context, *int) (int, error) { return count(), nil })",
	"Then":         "freerun.Then(c, freerun.Resolved(1), func(*freerun.Context, int) (int, error) { return count(), nil })",
	"Then2":        "freerun.Then2(c, freerun.Resolved(1), freerun.Resolved(2), func(*freerun.Context, int, int) (int, error) { return count(), nil })",
	"Handle":       "freerun.Handle(c, freerun.Failed[int](io.EOF), func(*freerun.Context, int, error) (int, error) { return count(), nil })",
	"When2":        "freerun.When2(c, u, freerun.NewUnit(rt, 0), func(*freerun.Context, *int, *int) (int, error) { return count(), nil })",
	"WhenAll":      "freerun.WhenAll(c, []*freerun.Unit[int]{u}, func(*freerun.Context, []*int) (int, error) { return count(), nil })",
	"Every": `t := freerun.Every(c, time.Millisecond, func(*freerun.Context) error { count(); return nil })
		return func() { t.Stop() }`,
	"NewKeyed": `k := freerun.NewKeyed(rt, freerun.KeyedLimits{}, func(*freerun.Context, int, int) error { count(); return nil })
		goroutines.Go(func() { k.Submit(context.Background(), 1, 1) })`,
	"in a priority": "op.Send(c.WithPriority(freerun.High), u, 0)",
	"a unit that has had a priority": `op.Tell(c.WithPriority(freerun.Low), u, 0)
		op.Tell(c, u, 0)`,
	"a subscriber": `var t freerun.Topic[int]
		freerun.SubscribeNewest(&t, op, u, 1)
		t.Publish(c, 1)`,
	"an intercepted subscriber": `var t freerun.Topic[int]
		freerun.SubscribeNewest(&t, op, freerun.NewUnit(rt, 0, freerun.Intercept(around)), 1)
		t.Publish(c, 1)`,
	"Context.Block": "freerun.Go(c, func(c *freerun.Context) (int, error) { c.Block(func() { count() }); return 0, nil })",
	// units and kinds
	"Intercept":        "op.Send(c, freerun.NewUnit(rt, 0, freerun.Intercept(around)), 0)",
	"Intercept told":   "op.Tell(c, freerun.NewUnit(rt, 0, freerun.Intercept(around)), 0)",
	"Intercept of two": "onTwo.Tell(c, u, freerun.NewUnit(rt, 0, freerun.Intercept(around)), 0)",
	"InterceptAll":     "op.Tell(c, u, 0)", // in a runtime with the option
	"OnEnd":            "freerun.Stop(c, freerun.NewUnit(rt, 0, freerun.OnEnd(func(*freerun.Context, *int) { count() })))",
	"OnIdle":           "freerun.NewUnit(rt, 0, freerun.OnIdle(time.Millisecond, func(*freerun.Context, *freerun.Unit[int], *int) { count() }))",
	"OnPanic": `v := freerun.NewUnit(rt, 0, freerun.OnPanic(func(freerun.PanicReport) { count() }))
		freerun.Do(c, v, panics)
		op.Send(c, v, 0)`,
	"OnPanic of two": `v := freerun.NewUnit(rt, 0, freerun.OnPanic(func(freerun.PanicReport) { count() }))
		freerun.When2(c, u, v, func(*freerun.Context, *int, *int) (int, error) { panic("none") })
		op.Send(c, v, 0)`,
	"RestartOnPanic": `v := freerun.NewUnit(rt, 0, freerun.RestartOnPanic(count, 3, time.Minute))
		freerun.Do(c, v, panics)
		op.Send(c, v, 0)`,
	"RestartOnPanic in a scope": `s := rt.Scope(context.Background())
		v := freerun.NewUnit(rt, 0, freerun.RestartOnPanic(count, 3, time.Minute), freerun.OnPanic(func(freerun.PanicReport) { count() }))
		freerun.Do(s.Context(), v, panics)
		op.Send(c.WithPriority(freerun.High), v, 0)
		return func() { s.Wait(context.Background()) }`,
	"NewKind": "op.Send(c, kind.At(c, 1), 0)",
	"MadeBy": `kind.Configure(rt, freerun.MadeBy(func(*freerun.Context, int) (int, error) { return count(), nil }))
		op.Send(c, kind.At(c, 1), 0)`,
	"OnStop": `plain.Send(c, ending.At(c, 1), 0)
		ending.Stop(c, 1)`,
	"Kind.All": `freerun.Then(c, plain.Send(c, quiet.At(c, 1), 0), func(*freerun.Context, int) (int, error) {
			for range quiet.All(rt) {
				count()
			}
			return 0, nil
		})`,
	"Operations": `freerun.Go(c, func(*freerun.Context) (int, error) {
			for range freerun.Operations() {
				count()
			}
			return 0, nil
		})`,
	// branches
	"Join":        "freerun.Go(c, func(c *freerun.Context) (int, error) { return sum(freerun.Join(c, branch, branch)), nil })",
	"NewForkFunc": "freerun.Go(c, func(c *freerun.Context) (int, error) { return sum(fork.Join(c, 1, 2)), nil })",
	"For":         "freerun.Go(c, func(c *freerun.Context) (int, error) { freerun.For(c, 4, func(*freerun.Context, int) { count() }); return 0, nil })",
	"ForRange":    "freerun.Go(c, func(c *freerun.Context) (int, error) { freerun.ForRange(c, 4, 1, func(*freerun.Context, int, int) { count() }); return 0, nil })",
	"Reduce": `freerun.Go(c, func(c *freerun.Context) (int, error) {
			leaf := func(*freerun.Context, int) int { return count() }
			return freerun.Reduce(c, 4, leaf, func(a, b int) int { return a + b }), nil
		})`,
	"Reduce, combined": `freerun.Go(c, func(c *freerun.Context) (int, error) {
			leaf := func(_ *freerun.Context, i int) int { return i }
			return freerun.Reduce(c, 4, leaf, func(a, b int) int { return a + b + count() }), nil
		})`,
	"joins in a loop": `freerun.Go(c, func(c *freerun.Context) (int, error) {
			freerun.For(c, 4, func(c *freerun.Context, _ int) { sum(freerun.Join(c, branch, branch)) })
			return 0, nil
		})`,
	"a goroutine's Join":     "goroutines.Go(func() { freerun.Join(c, branch, branch) })",
	"a goroutine's ForkFunc": "goroutines.Go(func() { fork.Run(c, 1) })",
	"a goroutine's For":      "goroutines.Go(func() { freerun.For(c, 4, func(*freerun.Context, int) { count() }) })",
	"an activity's For":      "activity.Go(rt, func(*activity.Activity) { freerun.For(c, 4, func(*freerun.Context, int) { count() }) })",
	"an activity's Join":     "activity.Go(rt, func(*activity.Activity) { freerun.Join(c, branch, branch) })",
	// beside the processors
	"Context.AfterFunc": `s := rt.Scope(context.Background())
		s.Context().AfterFunc(func() { count() })
		s.Cancel(io.EOF)`,
	"OnLate": `late := freerun.New(freerun.Processors(1), freerun.Watchdog(time.Millisecond, 0),
			freerun.OnLate(func(freerun.LateReport) { count() }), freerun.Logger(slog.New(slog.DiscardHandler)))
		freerun.Go(late.Context(), func(*freerun.Context) (int, error) {
			for end := time.Now().Add(100 * time.Millisecond); time.Now().Before(end); {
			}
			return 0, nil
		})
		return func() { late.Close() }`,
	// what freerun tells, in runtimes with these options
	"Logger":                   "freerun.Do(c, u, panics)",
	"Logger of a branch":       "freerun.Go(c, func(c *freerun.Context) (int, error) { freerun.Join(c, panicking, panicking); return 0, nil })",
	"Logger of an activity":    `activity.Go(rt, func(*activity.Activity) { panic("none") })`,
	"Logger of what is lost":   "fails.Tell(c, u, 0)",
	"OnLost":                   "fails.Tell(c, u, 0)",
	"LogHandler":               "freerun.Do(c, u, func(*freerun.Context, *int) (int, error) { below.Info(\"here\"); return 0, nil })",
	"an activity's LogHandler": `activity.Go(rt, func(*activity.Activity) { below.With("a", 1).WithGroup("g").Info("here") })`,
	// package activity
	"activity.Go":             "activity.Go(rt, func(*activity.Activity) { count() })",
	"activity.Activity.Block": "activity.Go(rt, func(a *activity.Activity) { a.Block(func() { count() }) })",
	"activity.Monitor.Do": `activity.Go(rt, func(a *activity.Activity) {
			var m activity.Monitor
			m.Do(a, func() error { count(); return nil })
		})`,
	"activity.NewCond": `l := &userLock{}
		signal := activity.NewCond(l)
		var waiting atomic.Bool
		activity.Go(rt, func(a *activity.Activity) {
			waiting.Store(true)
			signal.Wait(a)
		})
		for !waiting.Load() {
			a.Yield()
		}
		l.waits = true
		signal.Broadcast()`,
}

// exceptions are the other exported things with which freerun gets something of the user's to call.
var exceptions = map[string]string{
	"activity.Cond":          "see NewCond",
	"Runtime.DumpFlight":     "the calling goroutine writes, and freerun relies on its processor meanwhile",
	"Runtime.StartTrace":     "the trace is written by a goroutine of its own",
	"activity.Monitor.Await": "conditions are evaluated by whoever leaves, between two activities, and must not wait",
	"activity.Wait":          "enter is called between two activities, and must not wait",
}

// unawareCallbacks is the program, without the scenarios.
const unawareCallbacks = `package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
)

var (
	mu         sync.Mutex
	tried, n   atomic.Int64
	goroutines sync.WaitGroup
)

// count waits for the lock.
func count() int {
	tried.Add(1)
	mu.Lock()
	defer mu.Unlock()
	return int(n.Add(1))
}

func function(*freerun.Context) (int, error)                  { return count(), nil }
func branch(*freerun.Context) int                             { return count() }
func around(c *freerun.Context, i *freerun.Invocation) error  { count(); return i.Next(c) }
func onState(*freerun.Context, *int, int) (int, error)        { return count(), nil }
func sum(a, b int) int                                        { return a + b }
func panics(*freerun.Context, *int) (int, error)              { panic("none") }
func panicking(*freerun.Context) int                          { panic("none") }
func stop(*freerun.Context, int, *int)                        { count() }
func fresh(*freerun.Context, int) (int, error)                { return 0, nil }

var (
	op     = freerun.Op("op", onState)
	fails  = freerun.Op("fails", func(*freerun.Context, *int, int) (int, error) { return 0, io.EOF })
	plain  = freerun.Op("plain", func(*freerun.Context, *int, int) (int, error) { return 0, nil })
	free   = freerun.FreeOp("free", func(*freerun.Context, int) (int, error) { return count(), nil })
	small  = freerun.SmallOp("small", func(*freerun.Context, int) (int, error) { return count(), nil })
	onTwo  = freerun.Op2("onTwo", func(*freerun.Context, *int, *int, int) (int, error) { return count(), nil })
	onAll  = freerun.OpAll("onAll", func(*freerun.Context, []*int, int) (int, error) { return count(), nil })
	reads  = freerun.ReadOp("reads", onState)
	noted  = freerun.Op("noted", freerun.NoResult(func(*freerun.Context, *int, int) error { count(); return nil }))
	later  = freerun.Op[int, int, int]("later", nil)
	_      = freerun.Define(later, onState)
	kind   = freerun.NewKind("kind", func(*freerun.Context, int) (int, error) { return count(), nil })
	quiet  = freerun.NewKind("quiet", fresh)
	ending = freerun.NewKind("ending", fresh, freerun.OnStop(stop))
	fork   = freerun.NewForkFunc(func(*freerun.Context, int) int { return count() })
)

// userLock is a lock that is not of package activity.
type userLock struct{ waits bool }

func (l *userLock) Lock(context.Context) error {
	if l.waits {
		count()
	}
	return nil
}

func (*userLock) Unlock() {}

// counting is a handler of logs that counts.
type counting struct{}

func (counting) Enabled(context.Context, slog.Level) bool  { return true }
func (counting) Handle(context.Context, slog.Record) error { count(); return nil }
func (counting) WithAttrs([]slog.Attr) slog.Handler        { return counting{} }
func (counting) WithGroup(string) slog.Handler             { return counting{} }

var (
	below  = slog.New(freerun.LogHandler(counting{}))
	logger = freerun.Logger(slog.New(counting{}))
)

var options = map[string][]freerun.Option{
	"InterceptAll":           {freerun.InterceptAll(around)},
	"Logger":                 {logger},
	"Logger of a branch":     {logger},
	"Logger of an activity":  {logger},
	"Logger of what is lost": {logger},
	"OnLost":                 {freerun.OnLost(func(freerun.LostMessage) { count() })},
}

// held has an activity hold the lock while begin has it waited for on the same processor.
func held(what string, begin func(a *activity.Activity, rt *freerun.Runtime, c *freerun.Context, u *freerun.Unit[int]) func()) {
	stuck := time.AfterFunc(20*time.Second, func() { fmt.Println("stuck:", what); os.Exit(3) })
	defer stuck.Stop()
	n.Store(0)
	tried.Store(0)
	rt := freerun.New(append([]freerun.Option{freerun.Processors(1), freerun.Logger(slog.New(slog.DiscardHandler))}, options[what]...)...)
	defer rt.Close()
	u := freerun.NewUnit(rt, 0)
	var end func()
	a := activity.Go(rt, func(a *activity.Activity) {
		mu.Lock()
		defer mu.Unlock()
		end = begin(a, rt, rt.Context(), u)
		for tried.Load() == 0 {
			time.Sleep(100 * time.Microsecond) // without the processor
		}
		for range 100 {
			a.Yield()
		}
	})
	if err := a.Wait(context.Background()); err != nil {
		fmt.Println(err)
	}
	if end != nil {
		end()
	}
	goroutines.Wait()
	if err := rt.Quiesce(context.Background()); err != nil {
		fmt.Println(err)
	}
	for n.Load() != tried.Load() {
		time.Sleep(time.Millisecond)
	}
	fmt.Println(what)
}

func main() {
`

// TestUnawareCallbacks holds that a function of the user's that waits for a lock, which an activity
// of the same processor has, does not keep the processor, however freerun has come to call it.
func TestUnawareCallbacks(t *testing.T) {
	var program, want strings.Builder
	program.WriteString(unawareCallbacks)
	for _, what := range slices.Sorted(maps.Keys(scenarios)) {
		body := scenarios[what]
		if !strings.Contains(body, "\t\treturn ") || strings.HasSuffix(body, "})") {
			body += "\n\t\treturn nil"
		}
		fmt.Fprintf(&program, "\theld(%q, func(a *activity.Activity, rt *freerun.Runtime, c *freerun.Context, u *freerun.Unit[int]) func() {\n\t\t%s\n\t})\n", what, body)
		fmt.Fprintln(&want, what)
	}
	program.WriteString("}\n")
	dir := newModule(t, map[string]string{"main.go": program.String()})
	for _, flags := range [][]string{{"run", "."}, {"run", "-race", "."}} {
		if out, errs, status := in(t, dir, binary, flags...); out != want.String() || errs != "" || status != 0 {
			t.Errorf("%q: exit status %d: %s %s, want %s", flags, status, out, errs, want.String())
		}
	}
}
