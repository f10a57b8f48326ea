package main

import (
	"context"
	"time"
	"unsafe"

	runtime "github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/cmd/freerun/internal/cooperate"
	"github.com/freerun-go/freerun/cmd/freerun/internal/goruntime"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/goid"
	"github.com/freerun-go/freerun/internal/sys/netpoll"
	"github.com/freerun-go/freerun/internal/sys/pin"
	"github.com/freerun-go/freerun/internal/sys/prefetch"
	"github.com/freerun-go/freerun/internal/sys/threadlock"
	"github.com/freerun-go/freerun/internal/sys/ticks"
	"github.com/freerun-go/freerun/internal/sys/yield"
)

// technique is one of the parts of freerun that rest on the inside of Go or of the operating
// system. It is taken in one of several ways.
type technique struct {
	name    string
	way     func() (way, why string) // why is "" if the needs of the way explain it
	needs   needs
	each    string // the operation that measure measures
	measure func() float64
}

var techniques = []technique{
	{
		"which goroutine runs", always(goid.Way),
		needs{assembly: true},
		"a question", timed(func() { words += uint64(goid.ID()) }),
	},
	{
		"locked to its thread", threadlock.Status,
		needs{},
		"a question", timed(func() {
			if threadlock.Held() {
				words++
			}
		}),
	},
	{
		"processor-local state", pinned,
		needs{},
		"a section", timed(func() { words += uint64(pin.Pin()); pin.Unpin() }),
	},
	{
		"publishing stores", always(atomics.ReleaseWay),
		needs{assembly: true, noRace: true},
		"a store", timed(func() { released.Store(1) }),
	},
	{
		"prefetching", always(prefetch.Way),
		needs{assembly: true},
		"a hint", timed(func() { prefetch.ForWrite(unsafe.Pointer(&words)) }),
	},
	{
		"the clock of recordings", clock,
		needs{assembly: true},
		"a reading", timed(func() { words += ticks.Now() }),
	},
	{
		"letting goroutines run", always(yield.Way),
		needs{},
		"a turn", timed(yield.Local),
	},
	{
		"polling the network", netpoll.Way,
		needs{},
		"a poll", polled,
	},
	{
		"switching activities", switched,
		needs{},
		"a switch", switches,
	},
	{
		"preempting activities", preempted,
		needs{},
		"a check", checks,
	},
}

var (
	words    uint64 // takes the results of measured code, so that the compiler keeps the code
	released atomics.Release[uint64]
)

func always(way string) func() (string, string) {
	return func() (string, string) { return way, "" }
}

func pinned() (way, why string) {
	st := pin.Status()
	return st.Way, st.Why
}

func switched() (way, why string) {
	way, why = sched.SwitchStatus()
	switch way {
	case "swap":
		return "assembly: from one coroutine to the next, by returns that the core predicts", why
	case "pull":
		return "from one coroutine to the next, by iter.Pull", why
	default:
		return "through the goroutine that hosts them", why
	}
}

// preempted tells what programs get that `freerun build` makes in the current folder. This command
// is not one of them.
func preempted() (way, why string) {
	env, err := cooperate.GoEnv("", nil)
	switch version := env["GOVERSION"]; {
	case err != nil:
		return "at checks alone", "there is no go command here that works, so no `freerun build`"
	case !isKnown(version):
		return "at checks alone", "`freerun build` knows the runtime of " + goruntime.Version + ", and " + version + " compiles here"
	case !isPreempted(env):
		return "at checks alone", "Go preempts nothing on " + env["GOARCH"]
	default:
		return "after a millisecond, in programs of `freerun build`", "it knows the runtime of " + version + ", which compiles here; other programs: at checks alone"
	}
}

// checks measures a check of an activity that does not yield.
func checks() (ns float64) {
	rt := runtime.New(runtime.Processors(1))
	defer rt.Close()
	err := activity.Go(rt, func(a *activity.Activity) {
		ns = timed(func() { a.Check(0) })()
	}).Wait(context.Background())
	if err != nil {
		return 0
	}
	return ns
}

// switches measures how long one activity takes to switch to another.
func switches() float64 {
	const activities, turns = 10, 2000
	rt := runtime.New(runtime.Processors(1))
	defer rt.Close()
	begin := time.Now()
	for range activities {
		activity.Go(rt, func(a *activity.Activity) {
			for range turns {
				a.Yield()
			}
		})
	}
	if rt.Quiesce(context.Background()) != nil {
		return 0
	}
	return float64(time.Since(begin)) / (activities * turns)
}

// polled measures a poll or, where there is no poller, the yield that replaces it.
func polled() float64 {
	p, err := netpoll.New()
	if err != nil {
		return timed(yield.Local)()
	}
	defer p.Close()
	return timed(func() { p.Poll(time.Millisecond) })()
}

func clock() (way, why string) {
	if ticks.Counts() {
		return "assembly: the time-stamp counter", ""
	}
	return "Go's monotonic clock", ""
}

// timed returns a function that measures how many nanoseconds a call of f takes. It returns the
// least of several rounds, because all other load of the machine only adds.
func timed(f func()) func() float64 {
	return func() float64 {
		const rounds, enough = 5, 2 * time.Millisecond
		n := 1
		for {
			d := repeat(n, f)
			if d >= enough {
				break
			}
			n *= 2
		}
		least := repeat(n, f)
		for range rounds - 1 {
			least = min(least, repeat(n, f))
		}
		return float64(least) / float64(n)
	}
}

func repeat(n int, f func()) time.Duration {
	begin := time.Now()
	for range n {
		f()
	}
	return time.Since(begin)
}
