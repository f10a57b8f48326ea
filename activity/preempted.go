package activity

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/exempt"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sys/preempt"
)

// Sketch:     in a program of `freerun build` Go's runtime preempts an activity that has run for
//             about a millisecond, in whatever code that is: it parks the goroutine in the middle
//             of its code, and runs a stand-in, which yields for the activity; the switch is the
//             same as that of Yield, and leaves the stand-in parked where the activity would be
//             when the activity has a processor again, the stand-in goes on, ends, and the
//             goroutine with it goes on where it was
// Invariants: Q1 While activities of such a program run, they are preempted: Go's monitor looks for
//             them, each millisecond if it has seen one lately, and else as often as it runs.
//             Q2 A stand-in yields only where the activity may: it has a processor, is not locked
//             to its thread, and no code of freerun relies on what runs (U2 of unaware.go), or
//             runs itself: that of Join is not in the middle of something only while it calls what
//             is the user's, and who has begun to put something into a queue others wait for. Go
//             itself preempts nothing that holds a P, or a lock of the runtime. In a deterministic
//             runtime, which counts checks alone, and in exempt functions, it does not.
//             An activity with n calls on its stack looks at them once in n/512 times.
//             Where it does not yield, other goroutines have the P after 10 ms, as ever.
//             Q3 An activity does not end where it was preempted: it may hold a lock there. It ends
//             where it next waits or yields by itself. Who gives up does not wait for that (M1 of
//             midway.go).
//             Q4 While a stand-in runs, the activity's goroutine does not: one of them at a time is
//             the coroutine.
// Checked by: of package main TestPreempted, TestPreemptedStandard, TestPreemptedRight,
//             TestPreemptedForOthers; TestReaches, TestCountQuantum

func init() {
	if !modelled {
		preempt.Install(preempt.Actions{Preempted: preempted, InCall: leaveInCall, Returned: returnFromCall})
	}
}

// preempted yields for the activity whose goroutine g was preempted, a coroutine's, and reports
// whether others have run; if not, whether it is to be preempted again soon. It runs on the
// stand-in.
func preempted(owner unsafe.Pointer, g preempt.Goroutine, atHead bool) (others, soon bool) {
	co := (*sched.Coroutine)(owner)
	st, ok := co.Local.(*stack)
	if !ok {
		return false, false
	}
	may, soon := st.mayBePreempted(g, atHead)
	if !may {
		return false, soon
	}
	co.StandIn(func() { others = st.yieldMidway() })
	if !others {
		co.Turn() // as after a switch: Go's monitor preempts it at its next look already
	}
	return others, false
}

// mayBePreempted reports whether the activity may yield where its goroutine g is parked, now that
// it was preempted once more; and if not, whether that is because code of freerun runs, which may
// be over soon. It looks at nothing that others use before it knows that the goroutine is not
// within a switch: what the stand-in does then, those who run after the switch would not see.
func (st *stack) mayBePreempted(g preempt.Goroutine, atHead bool) (may, soon bool) {
	if st.passes > 0 && g.StackSize() > uintptr(st.size/2) {
		st.passes--
		return false, false
	}
	below, within := false, false // below code of the user; within code of freerun
	user, depth := reaches(performs, g.Callers, func(function string) bool {
		ours := isLibrary(function)
		within = ours && !below && !atHead
		below = below || !ours && !isBase(function)
		obstacle := within || !atHead && isRelying(function) || exempt.Has(function)
		atHead = false // it is the first function's
		return obstacle
	})
	if st.passes, st.size = uint16(depth/deep), uint32(g.StackSize()); !user {
		return false, within
	}
	p, a := st.co.Processor(), st.activity.Load()
	if p == nil || p.Driven() {
		return false, false
	}
	return st.countQuantum(a), false
}

// countQuantum counts one more quantum of preemption, and reports whether the activity has had all
// of its own.
func (st *stack) countQuantum(a *Activity) bool {
	if st.looks < a.quanta {
		st.looks++
	}
	return st.looks == a.quanta
}

// deep is the number of calls on a stack for which one preemption passes after its calls were
// looked at: so a deep recursion spends some percent of its time on that, and yields less often,
// until it has returned half of the way.
const deep = 512
