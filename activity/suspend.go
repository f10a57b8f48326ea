package activity

import (
	"time"
	"unsafe"

	"github.com/freerun-go/freerun/internal/record"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Quantum is what an activity may use up before [Activity.Check] has it yield: about as many simple statements, some tens of microseconds.
const Quantum = 20_000

// Check notes that the activity has used up n of its quantum, about one for each simple statement, and has it yield when nothing is left. It is what implicit
// cooperation inserts; programs that are compiled without it call it in long loops. It does not yield while the activity is locked to its thread. Any goroutine may call it: on another than the activity's own, and on nil, it
// does nothing, since what is inserted is sometimes passed by code that runs elsewhere than its author's convention says. It costs at most a nanosecond when it does not yield.
//
// Other goroutines make the quantum a little shorter or longer, no more, so the race detector need not know of them.
//
//go:norace
func (a *Activity) Check(n int32) {
	if a != nil {
		if a.quantum -= n; a.quantum < 0 {
			a.expire()
		}
	}
}

//go:norace
func (a *Activity) expire() {
	switch {
	case !a.Here():
		a.quantum = 0 // so that many of these do not overflow; the activity yields at its next check
	case a.stack.Load().co.Locked():
		a.quantum = Quantum
	default:
		a.Yield()
	}
}

// Yield lets others run that are ready, and returns when it is the activity's turn again; at once if there are none, or if the activity is locked to its thread in a
// deterministic runtime. The activity's own goroutine only. If what has
// not ended is being given up, the activity ends here: what it has deferred is run.
func (a *Activity) Yield() {
	st := a.own("Yield")
	a.quantum = Quantum
	if p := st.co.Processor(); p != nil { // not in blocking code
		switch t := p.Pick(); {
		case t == nil:
			p.Spend()
		case st.co.Locked():
			p.Carry(t)
			if !p.Driven() {
				st.stay(a, requeue)
			}
		default:
			a.owner.Leave(a, &st.seen, p)
			st.finalizer = requeue
			st.co.Trade(st.way(p, t))
			st.land()
			st.arrive(a)
		}
	}
	a.unwindIfClosing()
}

// requeue is the finalizer of one who yields.
func requeue(p *sched.Processor, a *Activity) {
	if p == nil {
		a.stack.Load().scheduler.InjectAt(a.priority, &a.task)
	} else {
		p.PushBackAt(a.priority, &a.task)
	}
}

// ready queues an activity whose wait has ended.
func (a *Activity) ready() {
	st := a.stack.Load()
	if modelled {
		modelReady(st)
		return
	}
	s := st.scheduler
	if p := sched.Current(); p != nil && p.Scheduler() == s {
		st.co.FetchSoon() // it is what the processor runs next
		if t := p.Tape(); t != nil {
			t.Note(record.Ready, 0, false, uint64(uintptr(unsafe.Pointer(a))), 0)
		}
		p.PushNextAt(a.priority, &a.task)
	} else {
		s.InjectAt(a.priority, &a.task)
	}
}

// Here reports whether the calling goroutine is the activity's own; for nil that is none.
func (a *Activity) Here() bool {
	if a == nil {
		return false
	}
	st := a.stack.Load()
	return st != nil && st.co.Here()
}

// Suspend is [Wait] with the activity's own context, by its own goroutine only. It panics if enter
// is nil.
func (a *Activity) Suspend(enter func(w *Waiter)) error {
	a.own("Suspend")
	mustEnter(enter)
	return a.wait(a, 0, enterFunc(enter))
}

// own returns the activity's stack; it panics if the caller is not the activity.
func (a *Activity) own(what string) *stack {
	if !a.Here() {
		if a == nil {
			panic("activity: " + what + " of a nil Activity; an activity is passed its own")
		}
		panic("activity: " + what + " by another goroutine than the activity's own; each activity calls the methods of its own Activity only")
	}
	return a.stack.Load()
}

// Sleep waits for d, and returns nil, or the error of a cancellation that came before. The time is that of the runtime: virtual in a deterministic one. The
// activity's own goroutine only. It allocates a timer.
func (a *Activity) Sleep(d time.Duration) error {
	a.own("Sleep")
	if d <= 0 {
		a.Yield()
		return a.canceled()
	}
	n := sleepTimer{owner: a.owner, d: d}
	err := a.wait(a, 0, &n)
	if err != nil {
		n.end()
	}
	return err
}

// nap is the timer of a sleep. The sleep may end while the finalizer sets the timer: who comes later of the two stops it.
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
	if w.word.Load()&stateBits == interrupted { // then w is not used again
		stop()
	}
}

func (n *sleepTimer) end() {
	if stop := n.stop.Load(); stop != nil {
		(*stop)()
	}
}

// Block runs fn, which may wait for what the runtime knows nothing of: a file, a channel, a lock of
// package sync, a library that blocks. It gives the processor to another goroutine first, so that
// blocking code costs no parallelism, and returns when the activity has a processor again. A panic
// in fn is the activity's.
//
// What waits for futures, scopes or the runtime as ordinary goroutines do (Wait of a future, Call,
// Wait of a scope, Quiesce) is refused in fn as it is outside of it, with an error that is
// freerun.ErrWouldBlock. Await, and the waits of this package with the activity as context, work in
// fn, but give the activity a processor again, which the rest of fn then keeps: wait so before or
// after.
//
// The activity's own goroutine only, and no coroutine that it has made with iter.Pull: it panics
// elsewhere, and if fn is nil. In a deterministic runtime nothing else goes on while fn runs.
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
	a.owner.Depart(a, &st.seen, p)
	p.Leave()
	fn()
	switch {
	case st.co.Processor() != nil: // fn has waited as an activity does, and was given one then
	case st.co.Locked():
		st.stay(a, requeue)
	default:
		st.finalizer = requeue
		st.co.Trade(st.way(nil, nil))
		st.land()
		st.arrive(a)
	}
	a.unwindIfClosing()
}
