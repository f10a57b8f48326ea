package freerun

import (
	"fmt"
	"reflect"
	"time"

	"github.com/freerun-go/freerun/internal/route"
)

// KindOption is a setting of a [Kind]. Each [UnitOption] is one: it holds for all units of the
// kind.
type KindOption interface{ set(s *kindSettings) }

type kindSettings struct {
	key, state reflect.Type
	units      []UnitOption
	idle       time.Duration // 0: no unit is idle too long
	most       int           // 0: no limit
	fresh      any           // the function of MadeBy, a func(*Context, K) (S, error), or nil
	stop       any           // the function of OnStop, a func(*Context, K, *S)
	restarts   *restartLimit
	store      store       // nil for most
	route      route.Route // of a kind without a store; nil for most
}

type restartLimit struct {
	most   int
	window time.Duration
}

type kindOption func(s *kindSettings)

func (o kindOption) set(s *kindSettings) { o(s) }

func (o UnitOption) set(s *kindSettings) { s.units = append(s.units, o) }

// apply adds the options. rt is the runtime that they are for, nil if they are for all.
func (s *kindSettings) apply(rt *Runtime, options []KindOption) {
	for i, o := range options {
		if o == nil {
			panic(fmt.Sprintf("freerun: a nil KindOption, the one with index %d", i))
		}
		o.set(s)
	}
	// The options of units are tried here, so that a mistake shows at the declaration.
	x := &unitExt{}
	x.equip(s.units, s.state)
	if x.policy() != nil && x.policy().restart != nil {
		panic("freerun: RestartOnPanic for a kind, which makes its states itself; use Restarts")
	}
	x.policy().mustFit(rt, s.restarts != nil)
	if s.store != nil && (x.policy() != nil || s.restarts != nil) {
		panic("freerun: a policy for panics for a kind whose states are stored: a panic undoes what the operation has changed")
	}
	if l := x.life.Load(); l != nil && l.idle != nil {
		panic("freerun: OnIdle for a kind; use PassivateAfter")
	}
	if x.onEnd() != nil {
		panic("freerun: OnEnd for a kind; use OnStop, which is told the key")
	}
}

// PassivateAfter makes a unit of the kind passive when it has run nothing for d, give or take a
// quarter: the function of [OnStop] is called, and the state is dropped. A timer that is set for
// the unit does not count: when it fires, the unit becomes active again. An [Every] that the unit
// itself has begun ends. It panics if d is below a millisecond.
func PassivateAfter(d time.Duration) KindOption {
	if d < time.Millisecond {
		panic(fmt.Sprintf("freerun: PassivateAfter %v; it needs at least a millisecond", d))
	}
	return kindOption(func(s *kindSettings) { s.idle = d })
}

// MaxActive makes units of the kind passive when more than n are active: those that have run
// nothing since they were looked at last, by the order of SIEVE, so that many keys which are used
// once do not displace the ones in use. A unit for which messages wait stays. If all are in use
// there may be up to 2n; then a message to a passive unit waits for room for up to 100 ms, and
// fails with [ErrFull] if there is none. For a moment afterwards, messages to that unit fail at
// once. It panics if n is less than 1.
func MaxActive(n int) KindOption {
	if n < 1 {
		panic(fmt.Sprintf("freerun: MaxActive of %d; it needs at least 1", n))
	}
	return kindOption(func(s *kindSettings) { s.most = n })
}

// MadeBy has states made by fresh in place of the function of [NewKind], for which all holds that
// is said there. It is for [Kind.Configure]: a runtime of a server makes states from the server's
// store, and one of a test from another.
//
//	rooms.Configure(rt, freerun.MadeBy(func(c *freerun.Context, name string) (Room, error) {
//		return store.Load(c, name)
//	}))
//
// MadeBy panics if fresh is nil. NewKind and Configure panic if it is for other types than the
// kind's.
func MadeBy[K comparable, S any](fresh func(c *Context, key K) (S, error)) KindOption {
	if fresh == nil {
		panic("freerun: MadeBy with a nil function")
	}
	return forKind[K, S]("MadeBy", func(s *kindSettings) { s.fresh = fresh })
}

// forKind returns an option named of, for kinds with keys K and states S alone.
func forKind[K comparable, S any](of string, set func(s *kindSettings)) KindOption {
	key, state := reflect.TypeFor[K](), reflect.TypeFor[S]()
	return kindOption(func(s *kindSettings) {
		if s.key != key || s.state != state {
			panic(fmt.Sprintf("freerun: %s for keys of %v and states of %v, in a kind of %v and %v", of, key, state, s.key, s.state))
		}
		set(s)
	})
}

// OnStop has fn called before the state of a unit is dropped, because it was idle, had to make
// room, or was stopped: to save it, for example. fn has the unit to itself, as an operation has,
// and may call [Context.Block]; what comes for the unit waits until fn has returned. It is not
// called for a state that an operation left by a panic, with [Restarts] or [StopOnPanic]. A
// Shutdown calls it for all active units, once all else is done; a Close does not. If fn panics,
// the state is dropped all the same: the future of [Kind.Stop] fails with the [*PanicError],
// otherwise it is a [LostMessage] of the operation "stop" of the kind. So a fn that may fail tries
// again, or puts the state elsewhere. OnStop panics if fn is nil.
func OnStop[K comparable, S any](fn func(c *Context, key K, s *S)) KindOption {
	if fn == nil {
		panic("freerun: OnStop with a nil function")
	}
	return forKind[K, S]("OnStop", func(s *kindSettings) { s.stop = fn })
}

// Restarts drops the state of a unit when an operation panics or calls runtime.Goexit: what it left
// half done is gone, the messages that wait stay, and the next one makes a new state. After most
// restarts within the window, the next such operation stops the unit as [StopOnPanic] does, until
// there is a [Kind.Stop] of its key. The restarts of a key count, whoever holds its unit. Without
// this option a unit keeps the state that it has. With [BackOff] the unit lies still for a while
// before it makes a new one. It panics if most or window is not positive.
func Restarts(most int, window time.Duration) KindOption {
	if most < 1 || window <= 0 {
		panic("freerun: Restarts needs at least 1 restart and a positive window")
	}
	return kindOption(func(s *kindSettings) { s.restarts = &restartLimit{most, window} })
}

// restartByKind gives the unit the policy of Restarts.
func (x *unitExt) restartByKind(l restartLimit) {
	p := x.faults()
	p.most, p.window = l.most, l.window
	p.restart = func(u *unit) {
		u.dropState()
		// The timer holds the unit, and with it the count.
		u.rt.env.release(func() { rememberOp.SendAfter(u.rt.outside.contextFor(nil), l.window, u) })
	}
}

// rememberOp does nothing, for a unit that a timer holds.
var rememberOp = FreeOp("kind.remember", func(*Context, *unit) (struct{}, error) { return struct{}{}, nil })

func init() { rememberOp.op.core.keepsHouse() }
