package freerun

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"unsafe"

	"github.com/freerun-go/freerun/internal/scan"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Kind is a set of units, each with a key: a session for each user, an account for each number, a
// room for each name. The unit of a key is there without having been made: [Kind.At] returns it,
// and whatever takes a unit takes it. Its state is made by the first message, and dropped when it
// has been idle, or when there are too many: the unit is active in between, and passive otherwise.
// One at a time for each key, in parallel for different keys, and in the order of sending: that is
// what units are.
//
// Declare a kind once, with [NewKind], as a package variable. Each runtime has units of its own.
// Any goroutine may call the methods; none waits.
type Kind[K comparable, S any] struct {
	_ scan.Opaque
	kind
	definition[func(c *Context, key K) (S, error)]
	fresh func(c *Context, key K) (S, error)
	// activating makes states. It is sent to no unit: the unit lies still meanwhile.
	activating operation[K, S]
	woken      *vtable                   // of what waits for activating's outcome
	making     operation[loadable[S], S] // goes on with a state once the kind's store has answered
	stopping   operation[stopReason, bool]
}

// NewKind declares a kind. fresh makes the state of a key, when the first message to it has come:
// its messages lie still until then, in their order. fresh runs as a free operation does (see
// [FreeOp]), in no scope: the scope of a message whose sender has given up does not end an
// activation for which others wait. It may fail, call [Context.Block] to load the state from
// somewhere, or return [Forward] of a future; if that future waits for the unit itself, the
// activation fails with [ErrCycle]. When fresh fails, the messages that wait fail with an
// [*ActivationError], and so do those that come within a moment; then the next message tries again.
//
// Options are [PassivateAfter], [MaxActive], [OnStop], [Restarts], [MadeBy], and those of units,
// which hold for each unit of the kind. A name belongs to the package that declares it, as that of
// an operation does (see [Op]). NewKind panics if the name is empty or taken, or if an option is of
// no use for the kind. If fresh is nil, the kind gets its function later, with [Define]: for one
// whose function refers to the kind itself.
func NewKind[K comparable, S any](name string, fresh func(c *Context, key K) (S, error), options ...KindOption) *Kind[K, S] {
	k := &Kind[K, S]{}
	k.declared = declare(name, OperationInfo{
		Constructor: "NewKind", States: []reflect.Type{reflect.TypeFor[S]()}, Arg: reflect.TypeFor[K](),
	})
	k.declared.state = reflect.TypeFor[S]().String()
	k.number = int(kinds.Add(1)) - 1
	k.usual = kindSettings{key: reflect.TypeFor[K](), state: reflect.TypeFor[S]()}
	k.usual.apply(nil, options)
	k.newHome = k.makeHome
	k.assemble()
	kindsByName.Store(k.declared.full, &k.kind)
	k.define(k.declared, fresh, func(fn func(c *Context, key K) (S, error)) { k.fresh = fn })
	return k
}

// kinds is the number of kinds.
var kinds atomics.Int32

// kind is the part of a [Kind] that does not depend on its types.
type kind struct {
	declared *declaration
	number   int
	usual    kindSettings
	newHome  func(rt *Runtime, s kindSettings) *kindHome

	// What is done with a unit of the kind; set by complete.

	// activate begins an activation, which is counted, and returns its message, which the caller
	// queues. The caller is the owner of the unit, which lies still.
	activate func(w *worker, u *unit) *sched.Task

	clear     func(u *unit)                                   // drops the state
	release   func(u *unit)                                   // leaves u, passive, to the GC
	passivate func(c *Context, u *unit, why stopReason) error // tells the unit to become passive
	stop      func(c *Context, u *unit) Future[bool]          // tells it for Stop
	key       func(u *unit) any
	find      func(rt *Runtime, decode func(key any) error) (*unit, error)
	makes     *vtable // of the messages that make states
}

// At returns the unit of a key, in the runtime of c. It is the same for all callers, as long as
// anyone holds it. A passive unit that was active, and that nobody holds, is collected as garbage.
// So is one whose state could not be made, or that got a [Kind.Stop]. A unit to which nothing was
// ever sent stays, and so does one that a panic has stopped.
//
// Any goroutine may call At; it does not wait. It costs a look-up, and allocates only for a key
// that has no unit. It panics if c is nil, or if a key is no key: not equal to itself, as NaN, or
// of a type that cannot be compared.
func (k *Kind[K, S]) At(c *Context, key K) *Unit[S] {
	return k.at(k.in(c.checked().rt), key)
}

// at is At in a home.
func (k *Kind[K, S]) at(h *homeOf[K, S], key K) *Unit[S] {
	if h.dynamic {
		k.mustCompare(key)
	}
	e := h.table.Load(key)
	if e == nil {
		return k.enter(h, key, nil)
	}
	if u := present[K, S](e); u != nil {
		return &u.Unit
	}
	return k.enter(h, key, e)
}

// Configure gives the kind other options in runtime rt than those of [NewKind], to which they are
// added. It panics if the kind was used, or configured, in rt before, and if an option gives it a
// store for its states, which is the same in all runtimes.
func (k *Kind[K, S]) Configure(rt *Runtime, options ...KindOption) {
	rt.mustBeMade()
	s := k.checked().usual
	stored := s.store != nil || s.route != nil
	s.units = slices.Clone(s.units)
	s.apply(rt, options)
	if !stored && (s.store != nil || s.route != nil) {
		panic(fmt.Sprintf("freerun: Configure of kind %s with a store for its states; declare it with that option, in NewKind", k.declared.name))
	}
	if !rt.addHome(k.number, k.newHome(rt, s)) {
		panic(fmt.Sprintf("freerun: Configure of kind %s after its first use in the runtime, or after another Configure of it", k.declared.name))
	}
}

// Len returns how many units of the kind are active in rt, or about to be. After a Close that is
// how many were. Any goroutine.
func (k *Kind[K, S]) Len(rt *Runtime) int {
	rt.mustBeMade()
	return int(k.in(rt).active.Load())
}

// All returns the active units of the kind in rt, with their keys, in the order in which they were
// first asked for. Units that become active or passive meanwhile may be missing or not. Any
// goroutine.
func (k *Kind[K, S]) All(rt *Runtime) iter.Seq2[K, *Unit[S]] {
	rt.mustBeMade()
	return func(yield func(K, *Unit[S]) bool) {
		for _, u := range k.in(rt).activeUnits() {
			if x := keyedUnitOf[K, S](u); !yield(x.entry.Key, &x.Unit) {
				return
			}
		}
	}
}

// Stop makes the unit of a key passive, in its turn: what was sent to it before runs, then the
// function of [OnStop], and the state is dropped. The next message makes a new one, also if a panic
// had stopped the unit ([StopOnPanic], [Restarts]): until then it stays stopped, idle or not. The
// future's value tells whether the unit was active. It fails as that of [Stop] does.
func (k *Kind[K, S]) Stop(c *Context, key K) Future[bool] {
	return k.checked().stop(c.checked(), k.At(c, key).checked())
}

// Key returns the key of the unit on which the operation of c runs. It panics if that is no unit of
// the kind, or several.
func (k *Kind[K, S]) Key(c *Context) K { return k.running(c).entry.Key }

// Self returns the unit on which the operation of c runs. It panics as [Kind.Key] does.
func (k *Kind[K, S]) Self(c *Context) *Unit[S] { return &k.running(c).Unit }

// running returns the unit on which the operation of c runs.
func (k *Kind[K, S]) running(c *Context) *keyedUnit[K, S] {
	if now := c.checked().running(); now != nil && now.current != nil {
		if x := now.current.unit.ext.Load(); x != nil && x.keyed() != nil && x.settings.home.kind == &k.checked().kind {
			return keyedUnitOf[K, S](now.current.unit)
		}
	}
	panic(fmt.Sprintf("freerun: the key of kind %s is asked for where no operation of a unit of the kind runs", k.declared.name))
}

func (k *Kind[K, S]) checked() *Kind[K, S] {
	if k == nil || k.fresh == nil {
		panic(k.unready())
	}
	return k
}

func (k *Kind[K, S]) unready() any {
	if k == nil || k.declared == nil {
		return "freerun: a nil or zero Kind; declare kinds with NewKind"
	}
	return fmt.Sprintf("freerun: use of kind %s, declared at %s, before it has a function; give it one with Define", k.declared.name, k.declared.place)
}

// in returns the kind's home in rt.
func (k *Kind[K, S]) in(rt *Runtime) *homeOf[K, S] {
	number := k.checked().number
	if all := rt.homes.Load(); all != nil && number < len(*all) && (*all)[number] != nil {
		return (*homeOf[K, S])(unsafe.Pointer((*all)[number]))
	}
	rt.addHome(number, k.newHome(rt, k.usual))
	return k.in(rt)
}

// addHome gives a kind its home in rt. It returns false if there was one before.
func (rt *Runtime) addHome(number int, h *kindHome) bool {
	for {
		old := rt.homes.Load()
		var all []*kindHome
		if old != nil {
			all = *old
		}
		if number < len(all) && all[number] != nil {
			return false
		}
		more := make([]*kindHome, max(number+1, len(all)))
		copy(more, all)
		more[number] = h
		if rt.homes.CompareAndSwap(old, &more) {
			return true
		}
	}
}
