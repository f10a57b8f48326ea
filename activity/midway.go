package activity

import "github.com/freerun-go/freerun/internal/sched"

// Sketch:     an activity that is queued where it does not end (Q3, U3, CheckInserted) is midway;
//             if no processor comes for it, since the runtime has given up, it goes on all the
//             same, without one, on a goroutine of its own
// Invariants: M1 Who gives up does not wait for code of the user: what is midway may never end.
//             M2 An activity that is midway counts as one that runs: it is named among those that
//             have not returned, wherever it is, for as long as it has not ended (eachBegun).
//             M3 It ends where it next waits or yields, as any activity that was discarded; nobody
//             preempts it, and it gives no processor away where it blocks.
// Checked by: of package main TestGivenUpMidway; TestDiscardMidway

func init() { midway.Discard = discardMidway }

// midwayIn calls f, in which the activity is queued and comes to run again, in the middle of code.
func (st *stack) midwayIn(f func(a *Activity)) {
	a := st.activity.Load()
	a.task.Kind = midway
	f(a)
	a.task.Kind = begun
}

// yieldMidway is yield where the activity does not end.
func (st *stack) yieldMidway() (others bool) {
	st.midwayIn(func(a *Activity) { others = st.yield(a) })
	return others
}

// rejoinMidway is rejoin where the activity does not end.
func (st *stack) rejoinMidway() { st.midwayIn(func(*Activity) { st.rejoin() }) }

// discardMidway has an activity go on that no processor will run any more.
func discardMidway(t *sched.Task) { go discardBegun(t) }
