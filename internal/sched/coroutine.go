package sched

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/goid"
	"github.com/freerun-go/freerun/internal/sys/threadlock"
)

// Coroutine is a stack that a task runs on in place of its host's own: so the task can be left in its middle, and gone on with later, on
// whatever processor. While it runs, its goroutine is the home of its host's processor, as if it were the host itself.
//
//	host.Enter ──────►  the body runs
//	                    SwitchTo ────────►  another's body runs
//	Enter returns  ◄──────────────────────  Suspend
//	Enter ───────────►  SwitchTo returns
//	Enter returns  ◄──  the body returns
//
// It is a coroutine of [iter.Pull], where the run queues of Go's scheduler are not involved: about 40 ns each way. Nobody collects one that is suspended for ever: its
// body must be led to its end. A panic in the body must be recovered there. If the body calls [runtime.Goexit], the coroutine ends, and its host goes on.
// While its goroutine is locked to its thread ([Coroutine.Locked]) it must not be left: Go ends the program.
type Coroutine struct {
	// What is needed at each switch comes first, and lies together.
	SwitchPoint
	base diagnostic[base] // what it runs on; nil while it does not run
	id   uintptr          // of its goroutine, once that runs
	lock threadlock.Lock  // of that goroutine

	// the place
	next    func() (struct{}, bool)
	yield   func(struct{}) bool
	entered bool           // next was called last, of the two
	ended   atomics.Uint32 // how far its own goroutine is with its end

	// of whoever runs or enters it
	toDriver bool // it only lets the driver choose
	over     bool // its body has returned, or called Goexit
	gone     bool // with that its goroutine has ended, too
	recalled bool // it is to come home

	// immutable
	number uint64
	body   func(*Coroutine)
	stop   func()
	// Local is for whoever made the coroutine, before it is entered first.
	Local any
}

var coroutines atomics.Uint64 // there ever were

// NewCoroutine returns a coroutine that will run body when it is entered first. Any goroutine.
func NewCoroutine(body func(*Coroutine)) *Coroutine {
	co := new(Coroutine)
	co.Init(body)
	return co
}

// Init makes a zero Coroutine one that will run body when it is entered first; so one can be part of what it belongs to. It must not be copied.
func (co *Coroutine) Init(body func(*Coroutine)) {
	co.body, co.number, co.place = body, coroutines.Add(1), co
	co.next, co.stop = iter.Pull(co.live)
}

// live is the coroutine's goroutine.
func (co *Coroutine) live(yield func(struct{}) bool) {
	co.yield, co.id, co.lock = yield, goid.ID(), threadlock.Mine()
	me := &registration{id: co.id, co: co}
	register(me)
	returned := false
	defer func() {
		co.over = true // by a Goexit, if it has not returned; a panic goes on to whoever has entered the coroutine
		if co.lock.Held() {
			co.Unlock()
		}
		if b := co.base.Load(); returned && (b.place == co || throughHost) {
			co.gone = true // its end is a switch to the ground
		} else {
			co.parkToEnd(b)
		}
		unregister(me)
	}()
	co.becomeHome()
	co.body(co)
	returned = true
}

// moveHome makes the coroutine the home of its host's processor.
func (co *Coroutine) becomeHome() {
	if h := co.base.Load().host; h != nil && h.processor != nil {
		h.processor.home.Store(co.id)
	}
}

// Enter runs the coroutine until it, or one that it has switched to, suspends itself or ends. p is the processor whose goroutine calls it, on its host's own stack; nil for a
// goroutine that is no processor's, or at the moment does not count as one. It returns the coroutine that ran last, the processor that the host has now, which is nil if the
// task has left it, and whether that coroutine can be entered again.
func (co *Coroutine) Enter(p *Processor) (left *Coroutine, now *Processor, alive bool) {
	var b *base
	if p != nil {
		b = &p.host.Load().base
	} else if threadlock.Held() {
		return co.enterOnFreeThread()
	} else {
		b = new(base)
	}
	b.setRunning(co)
	b.Transfer(&co.SwitchPoint)
	return b.resume()
}

// enterElsewhere is Enter by a goroutine that is locked to its thread, and must not be switched: another one does it.
func (co *Coroutine) enterOnFreeThread() (left *Coroutine, now *Processor, alive bool) {
	onFreeThread(func() { left, now, alive = co.Enter(nil) })
	return left, now, alive
}

// Suspend returns to whoever has entered the coroutine, until it is entered again, or switched to. On the coroutine only.
func (co *Coroutine) Suspend() { co.Transfer(co.PrepareSuspend()) }

// SwitchTo leaves the coroutine for another one that is suspended, or was never entered: as if the host had entered that one after this one was suspended. It
// finds the one that was left by Predecessor. On the coroutine only, while it has a processor.
func (co *Coroutine) SwitchTo(other *Coroutine) { co.Transfer(co.PrepareSwitch(other)) }

// WayTo and WayBack are what comes before Trade in SwitchTo and Suspend, for those who are in a hurry.
func (co *Coroutine) PrepareSwitch(other *Coroutine) *SwitchPoint {
	b := co.base.Load()
	b.previous = co
	b.setRunning(other)
	return &other.SwitchPoint
}

// WayBack is explained at WayTo.
func (co *Coroutine) PrepareSuspend() *SwitchPoint { return &co.base.Load().SwitchPoint }

// Predecessor returns the coroutine that has switched to this one, once; nil if a host has entered it. On the coroutine only, when it begins or goes on.
func (co *Coroutine) Predecessor() *Coroutine {
	b := co.base.Load()
	left := b.previous
	if left != nil {
		b.previous = nil
		left.base.Store(nil)
	}
	return left
}

// pass lets the driver of a deterministic scheduler choose who goes on. On the coroutine only.
func (co *Coroutine) passToDriver() {
	co.toDriver = true
	co.Suspend()
}

// Here reports whether the coroutine is what the calling goroutine runs.
func (co *Coroutine) Here() bool { return co.id == goid.ID() }

// host returns the host that the coroutine runs on, nil if it is on another goroutine.
func (co *Coroutine) host() *Host {
	if b := co.base.Load(); b != nil {
		return b.host
	}
	return nil
}

// Processor returns the processor that the coroutine runs on, nil if its task has left it. On the coroutine only.
func (co *Coroutine) Processor() *Processor {
	if h := co.host(); h != nil {
		return h.processor
	}
	return nil
}

// Trace returns the stack of the coroutine's goroutine, in the form of a panic's trace; see [Stuck.Stack].
func (co *Coroutine) Trace() []byte { return traceOf(co.isIn) }

// isIn reports whether a goroutine's trace is the coroutine's: its receiver is the first argument of live. The number by which a trace calls the goroutine
// would be surer, but only the goroutine can find it out, at several times the cost of all else that a new coroutine costs.
func (co *Coroutine) isIn(trace []byte) bool {
	return bytes.Contains(trace, fmt.Appendf(nil, "(*Coroutine).live(%p", co))
}

// Coroutines returns the coroutines of the process that have begun and not ended, in the order in which they were made; one that begins or ends meanwhile may be
// left out.
func Coroutines() (all []*Coroutine) {
	registry.Range(func(_, r any) bool {
		if co := r.(*registration).co; co != nil {
			all = append(all, co)
		}
		return true
	})
	slices.SortFunc(all, func(a, b *Coroutine) int { return cmp.Compare(a.number, b.number) })
	return all
}
