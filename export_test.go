package freerun

import (
	"github.com/freerun-go/freerun/internal/magazine"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/stripe"
)

// Settled exports settled to tests that must not allocate while they wait.
func (rt *Runtime) Settled() bool { return rt.settled() }

// WithoutStripes leaves ordinary goroutines without a stripe, as on a P that GOMAXPROCS added
// later. It must come before the first send.
func WithoutStripes(rt *Runtime) { rt.ingress.stripes = stripe.Stripes[magazine.Cache]{} }

// WaitingForRoom returns how many goroutines wait for room in u's mailbox, which must have a limit.
func WaitingForRoom[S any](u *Unit[S]) int { return int(u.unit.ext.Load().limit.waiting.Load()) }

// DumpFlightTo writes what the flight recorder holds to a file, as DumpOn and the watchdog do.
func (rt *Runtime) DumpFlightTo(path string) error { return rt.dumpFlightTo(path) }

// Residents returns how many keys the table of a kind has.
func Residents[K comparable, S any](k *Kind[K, S], rt *Runtime) int { return k.in(rt).table.Len() }

// KeysOf returns how many keys a Keyed knows.
func KeysOf[K comparable, J any](k *Keyed[K, J]) int { return k.home.table.Len() }

// ActiveContext returns the context that the calling operation or activity runs with, on its
// processor.
func ActiveContext() *Context { return workerOf(sched.CurrentProcessor()).active.Load() }

// WatchesOf returns how many watches a unit keeps, whose operations have ended.
func WatchesOf[S any](u *Unit[S]) int { return len(u.unit.ext.Load().life.Load().watches) }

// EndingsOf returns how many units with OnEnd a runtime keeps.
func EndingsOf(rt *Runtime) (n int) {
	rt.endings.Range(func(any, any) bool { n++; return true })
	return n
}

// ValuesOf returns how many values c carries.
func ValuesOf(c *Context) int { return len(c.key.valuedOf().values) }

// WaitersForRoom returns how many futures of room a unit keeps.
func WaitersForRoom[S any](u *Unit[S]) int {
	return int(u.unit.ext.Load().limit.line.Load().waiting.Load())
}
