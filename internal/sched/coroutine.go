package sched

import (
	"bytes"
	"cmp"
	"fmt"
	"iter"
	"slices"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/coroswitch"
	"github.com/freerun-go/freerun/internal/sys/goid"
	"github.com/freerun-go/freerun/internal/sys/preempt"
	"github.com/freerun-go/freerun/internal/sys/threadlock"
)

// Coroutine is a stack that a task runs on, in place of its host's own stack. So the task can be
// suspended in its middle and continued later, on any processor. While the coroutine runs, its
// goroutine is the home of its host's processor, as if it were the host itself.
//
//	host.Enter ──────►  the body runs
//	                    SwitchTo ────────►  another's body runs
//	Enter returns  ◄──────────────────────  Suspend
//	Enter ───────────►  SwitchTo returns
//	Enter returns  ◄──  the body returns
//
// It is a coroutine of [iter.Pull], so Go's run queues are not involved: 25 to 40 ns each way. A
// coroutine that stays suspended for ever is never collected: lead its body to its end. The body
// must recover its panics. If it calls [runtime.Goexit], the coroutine ends, and its host goes on.
// While its goroutine is locked to its thread ([Coroutine.Locked]) it must not be left: Go ends
// the program. A Coroutine must not be copied.
type Coroutine struct {
	// turns is first, where Go's monitor finds it: see package internal/sys/preempt.
	turns uint32
	// The fields that each switch needs come first and lie together.
	SwitchPoint
	base diagnostic[base]       // the goroutine that it runs on; nil while it does not run
	id   atomics.RelaxedUintptr // of its goroutine, once that runs, or of a stand-in
	lock threadlock.Lock        // of that goroutine

	// The place: its iter.Pull, in which one goroutine is parked. next and yield are its functions,
	// or those of swap, which do the same and are faster, where package coroswitch knows how.
	next    func() (struct{}, bool)
	yield   func(struct{}) bool
	swap    coroswitch.Switch
	entered bool           // of next and yield, next was called last
	ended   atomics.Uint32 // how far the end of its own goroutine is (coroutine_end.go)

	// Of the goroutine that runs or enters the coroutine.
	toDriver bool // it is suspended only to let the driver choose
	over     bool // its body has returned or called Goexit
	gone     bool // over, and its goroutine has ended, too
	recalled bool // it must go home to its own place
	standsIn bool // another goroutine runs in its place (stand_in.go)
	returned bool // its body has returned

	me registration // written before the coroutine is registered

	// immutable
	number uint64
	body   func(*Coroutine)
	stop   func()
	// Local belongs to the creator of the coroutine, who sets it before Init, or before the
	// coroutine is entered first.
	Local any
}

var coroutines atomics.Uint64 // how many were ever made

// NewCoroutine returns a coroutine that runs body when it is entered first. Any goroutine.
func NewCoroutine(body func(*Coroutine)) *Coroutine {
	co := new(Coroutine)
	co.Init(body)
	return co
}

// Init makes a zero Coroutine ready: it runs body when it is entered first. It is for a Coroutine
// that is a field of another struct, which must not be copied.
//
// Init has the coroutine's goroutine tell its identity, and registers it. The goroutine would need
// more stack for that than it begins with, and would keep it.
func (co *Coroutine) Init(body func(*Coroutine)) {
	co.body, co.number, co.place = body, coroutines.Add(1), co
	co.next, co.stop = iter.Pull(co.live)
	co.next()
	if !throughHost && co.swap.Of(co.next, co.me.id) {
		co.next, co.yield = co.swap.Next(), co.swap.Yield()
	}
	register(&co.me)
}

// live is the body of the coroutine's goroutine. isIn and stack traces know its name. Its frame
// lies on the stack of each activity: see docs/adr/0057.
func (co *Coroutine) live(yield func(struct{}) bool) {
	co.yield, co.lock = yield, threadlock.Mine()
	co.me.id, co.me.number, co.me.co = goid.ID(), goid.Number(), co
	co.id.Store(co.me.id)
	yield(struct{}{}) // to Init
	defer co.depart()
	preempt.Bind(unsafe.Pointer(co))
	co.becomeHome()
	co.body(co)
	co.returned = true
}

// depart is the end of the coroutine's goroutine.
func (co *Coroutine) depart() {
	preempt.Bind(nil)
	co.over = true // by a Goexit, if body has not returned; a panic passes on to Enter
	if co.lock.Held() {
		co.Unlock()
	}
	if b := co.base.Load(); co.returned && (b.place == co || throughHost) {
		b.becomeHome() // now: Go gives the identity of an ended goroutine to another one
		co.gone = true // its end is a switch to the base
	} else {
		co.parkToEnd(b)
	}
	unregister(&co.me)
}

// becomeHome makes the coroutine the home of its host's processor.
func (co *Coroutine) becomeHome() {
	if p := co.Processor(); p != nil {
		p.home.Store(co.id.Load())
	}
}

// Enter runs the coroutine until it, or another that it has switched to, suspends itself or ends.
// p is the processor whose goroutine calls Enter, on its host's own stack; nil for any other
// goroutine, and for one that does not count as a processor's at the moment. It returns the
// coroutine that ran last (left), the processor that the host has now (nil if the task has left
// it), and whether left can be entered again.
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

// enterOnFreeThread is Enter by a goroutine that is locked to its thread and must not be switched:
// another goroutine enters the coroutine.
func (co *Coroutine) enterOnFreeThread() (left *Coroutine, now *Processor, alive bool) {
	onFreeThread(func() { left, now, alive = co.Enter(nil) })
	return left, now, alive
}

// Suspend returns to the goroutine that has entered the coroutine, until the coroutine is entered
// again or switched to. On the coroutine only.
func (co *Coroutine) Suspend() { co.Transfer(co.PrepareSuspend()) }

// SwitchTo leaves the coroutine for another coroutine, which is suspended or was never entered, as
// if this one were suspended and the host had entered the other one. The other one finds this one
// by Predecessor. On the coroutine only, while it has a processor.
func (co *Coroutine) SwitchTo(other *Coroutine) { co.Transfer(co.PrepareSwitch(other)) }

// PrepareSwitch is the part of SwitchTo before Transfer; a caller that saves calls uses it. It
// returns where to transfer to. On the coroutine only.
func (co *Coroutine) PrepareSwitch(other *Coroutine) *SwitchPoint {
	b := co.base.Load()
	b.previous = co
	b.setRunning(other)
	return &other.SwitchPoint
}

// PrepareSuspend is the part of Suspend before Transfer; see PrepareSwitch.
func (co *Coroutine) PrepareSuspend() *SwitchPoint { return &co.base.Load().SwitchPoint }

// Predecessor returns the coroutine that has switched to this one, and only once; nil if a host
// has entered this one. Call it on the coroutine, when it begins or continues.
func (co *Coroutine) Predecessor() *Coroutine {
	if co.arrived != nil {
		co.reclaim()
	}
	b := co.base.Load()
	left := b.previous
	if left != nil {
		b.previous = nil
		left.base.Store(nil)
	}
	return left
}

// passToDriver lets the driver of a deterministic scheduler choose which processor goes on. On the
// coroutine only.
func (co *Coroutine) passToDriver() {
	co.toDriver = true
	co.Suspend()
}

// Here reports whether the calling goroutine runs on this coroutine. Any goroutine.
func (co *Coroutine) Here() bool { return co.id.Load() == goid.ID() }

// host returns the host that the coroutine runs on, nil if it runs on no host's goroutine.
func (co *Coroutine) host() *Host {
	if b := co.base.Load(); b != nil {
		return b.host
	}
	return nil
}

// Processor returns the processor that the coroutine runs on, nil if its task has left it. On the
// coroutine only.
func (co *Coroutine) Processor() *Processor {
	if h := co.host(); h != nil {
		return h.processor
	}
	return nil
}

// Trace returns the stack of the coroutine's goroutine, in the form of a panic's trace; see
// [Stuck.Stack] for its cost. Any goroutine but the coroutine's own.
func (co *Coroutine) Trace() []byte { return traceOf(co.isIn) }

// Turn counts that the coroutine's task has come to run, or could have yielded: Go's monitor
// preempts a coroutine that has been without a turn for a while. On the coroutine only.
func (co *Coroutine) Turn() { co.turns++ }

// isIn reports whether a stack trace is of the coroutine's goroutine: the receiver is the first
// argument of live. The goroutine's number would be surer, but only the goroutine itself can find
// it, at several times the cost of making a coroutine.
func (co *Coroutine) isIn(trace []byte) bool {
	return bytes.Contains(trace, fmt.Appendf(nil, "(*Coroutine).live(%p", co))
}

// Coroutines returns the coroutines of the process that have begun and not ended, in the order of
// their creation. It may miss one that begins or ends meanwhile. Any goroutine.
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
