package activity

import (
	"time"
	"unsafe"

	"github.com/freerun-go/freerun/internal/exempt"
	"github.com/freerun-go/freerun/internal/record"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Quantum is the work that an activity may do before [Activity.Check] has it yield, counted roughly
// in simple statements. A quantum lasts some tens of microseconds.
const Quantum = 60_000

// Check subtracts n from the activity's quantum, about one for each simple statement, and yields
// when the quantum is used up. Programs that are compiled without `freerun build` call Check in
// long loops. Check does not yield while the activity is locked to its thread, or in a function
// that is exempt (//freerun:uncooperative), and in what that calls. It costs one or two nanoseconds
// when it does not yield.
//
// Any goroutine may call it, because code with checks may run on another goroutine than the
// activity's. There it never yields, and the activity's own checks yield less often meanwhile. On a
// nil Activity, and in Block, it has no effect. A race on the quantum does no harm, so Check is
// hidden from the race detector.
//
//go:norace
func (a *Activity) Check(n int32) {
	if a != nil {
		if a.quantum -= n; a.quantum < 0 {
			a.expire()
		}
	}
}

// refill gives the activity its quantum anew.
//
//go:norace
func (a *Activity) refill() { a.quantum = Quantum * int32(a.quanta) }

// expire is called when a quantum is used up. If another goroutine has used up the rest of it, the
// activity has a new one: of the ends of quanta it sees about as large a share as is its own of the
// checks, and so yields about as often as if it were alone.
//
//go:norace
func (a *Activity) expire() {
	if a.checked() != nil {
		a.Yield()
		return
	}
	a.refill()
}

// checked returns the stack if a check may yield, or end the activity; otherwise nil.
func (a *Activity) checked() *stack {
	if !a.Here() {
		return nil
	}
	st := a.stack.Load()
	if (st.co.Processor() != nil || st.discarded) && !st.co.Locked() && !st.isExempt() {
		return st
	}
	return nil
}

// isExempt reports whether the activity that runs is in an exempt function, or in what that has
// called. With n calls on its stack it looks at them once in n/64 times, and says yes at the
// others.
func (st *stack) isExempt() bool {
	if !exempt.Any() {
		return false
	}
	if st.skips > 0 {
		st.skips--
		return true
	}
	is := false
	_, depth := reaches(performs, callersAbove(0), func(function string) bool {
		is = exempt.Has(function)
		return is
	})
	st.skips = uint16(depth / 64)
	return is
}

// Yield lets other work run and returns when it is the activity's turn again. It returns at once if
// no work is ready, if the activity has no processor (in [Activity.Block]), or if it is locked to
// its thread in a deterministic runtime. If the runtime gives up what has not ended, the activity
// ends here and runs its deferred functions. Only the activity's own goroutine may call it.
func (a *Activity) Yield() {
	a.own("Yield").yield(a)
	a.unwindIfClosing()
}

// yield is Yield without an end. It reports whether other work has run.
func (st *stack) yield(a *Activity) (others bool) {
	a.refill()
	st.co.Turn()
	if p := st.co.Processor(); p != nil { // nil in blocking code
		switch t := p.Pick(); {
		case t == nil:
			p.Spend()
		case st.co.Locked():
			p.Carry(t)
			if !p.Driven() {
				st.stay(a, requeue)
			}
		default:
			st.finalizer = requeue
			if next, yield := st.giveWay(a, p, t); yield != nil {
				yield(struct{}{})
			} else {
				next()
			}
			st.land()
			st.arrive(a)
			return true
		}
	}
	return false
}

// requeue is the finalizer of Yield, and of Block when fn has returned.
func requeue(p *sched.Processor, a *Activity) {
	a.stack.Load().scheduler.QueueAt(p, sched.Back, a.priority, &a.task)
}

// ready queues an activity whose wait has ended.
func (a *Activity) ready(way sched.Way) {
	st := a.stack.Load()
	if modelled {
		modelReady(st)
		return
	}
	p := sched.CurrentProcessor()
	if p != nil && p.Scheduler() == st.scheduler {
		if way == sched.Woken {
			st.co.PrefetchNow()
			st.prefetch()
		}
		if t := p.Tape(); t != nil {
			t.Note(record.Ready, 0, false, uint64(uintptr(unsafe.Pointer(a))), 0)
		}
	}
	st.scheduler.QueueAt(p, way, a.priority, &a.task)
}

// Here reports whether the calling goroutine is the activity's own. It is false for nil.
func (a *Activity) Here() bool {
	if a == nil {
		return false
	}
	st := a.stack.Load()
	return st != nil && st.co.Here()
}

// own returns the activity's stack. It panics if the caller is not the activity.
func (a *Activity) own(what string) *stack {
	if !a.Here() {
		if a == nil {
			panic("activity: " + what + " of a nil Activity; an activity is passed its own")
		}
		panic("activity: " + what + " by another goroutine than the activity's own; each activity calls the methods of its own Activity only")
	}
	return a.stack.Load()
}

// Sleep waits for d. It returns nil, the scope's error if the scope is canceled before, or
// [ErrThreadLocked]. If d is 0 or less, it yields instead. Time is that of the runtime: virtual in
// a deterministic runtime. Only the activity's own goroutine may call it. It allocates a timer.
func (a *Activity) Sleep(d time.Duration) error {
	a.own("Sleep")
	if d <= 0 {
		a.Yield()
		return a.canceled()
	}
	n := sleepTimer{owner: a.owner, d: d}
	err := a.waitHere(0, &n, nil)
	if err != nil {
		n.end()
	}
	return err
}

// sleepTimer is the timer of a Sleep. A sleep may be interrupted while its finalizer still sets the
// timer. So both look: the finalizer for the interruption after it has set the timer, and Sleep for
// the timer after it was interrupted. At least one of them sees both, and stops the timer.
type sleepTimer struct {
	owner owner
	d     time.Duration
	stop  atomics.Pointer[func() bool]
}

func (n *sleepTimer) enter(w *Waiter) {
	word := w.word.Load()
	stop := n.owner.AfterFunc(n.d, func() {
		if w.finishThis(word, granted) {
			w.wake()
		}
	})
	n.stop.Store(&stop)
	if w.word.Load()&stateBits == interrupted { // the wait was given up, and w is not used again
		stop()
	}
}

func (n *sleepTimer) end() {
	if stop := n.stop.Load(); stop != nil {
		(*stop)()
	}
}

// Block runs fn, which may wait for things outside the runtime: a file, a channel, a lock of
// package sync, a library that blocks. Block first gives the processor to another goroutine, so
// that blocking code costs no parallelism, and returns when the activity has a processor again;
// within another Block it only calls fn. A panic in fn is a panic of the activity.
//
// The waits of ordinary goroutines for futures, scopes or the runtime (Future.Wait, Call,
// Scope.Wait, Quiesce) return an error that is [ErrWouldBlock] in fn, as they do in the activity.
// Await, and the waits of this package with the activity as context, work in fn. Such a wait gives
// the activity a processor, and the rest of fn then keeps it: so wait before Block or after it.
//
// Only the activity's own goroutine may call it. Block panics on any other, also in a coroutine
// that the activity has made with iter.Pull, and if fn is nil. In a deterministic runtime nothing
// else runs during fn.
func (a *Activity) Block(fn func()) {
	st := a.own("Block")
	if fn == nil {
		panic("activity: Block with a nil function")
	}
	p := st.co.Processor()
	switch {
	case p == nil:
		fn()
		return
	case p.Driven():
		p.Pause()
		fn()
		p.Pause()
		return
	}
	st.depart(p)
	fn()
	if st.co.Processor() == nil { // otherwise fn has waited as an activity does, which gave it one
		st.rejoin()
	}
	a.unwindIfClosing()
}

// depart gives the processor of the activity that runs here away. It runs on without one.
func (st *stack) depart(p *sched.Processor) {
	a := st.activity.Load()
	a.owner.Depart(a, &st.seen, p)
	p.Leave()
}

// rejoin returns when the activity that runs here, which has departed, has a processor again.
func (st *stack) rejoin() {
	a := st.activity.Load()
	if st.co.Locked() {
		st.stay(a, requeue)
		return
	}
	st.finalizer = requeue
	if next, yield := st.way(nil, nil); yield != nil {
		yield(struct{}{})
	} else {
		next()
	}
	st.land()
	st.arrive(a)
}
