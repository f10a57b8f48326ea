//go:build explore

package activity

import (
	"github.com/freerun-go/freerun/internal/sync/park"
	"github.com/freerun-go/freerun/internal/verify/memory"
)

// In builds for the explorer an activity is two model threads: its own, and that of the processor
// which has left it and runs its finalizers. All else about how it waits, is woken, interrupted
// and ended is the code that programs run. Only the switch of stacks and the run queue are tokens
// here, and the end of the activity is a panic in place of a Goexit.

const modelled = true

// modelActivity is an activity of the explorer.
type modelActivity struct {
	Activity
	stack
	left  *park.Parker // for the processor: the activity was left
	ready *park.Parker // for the activity
}

// modelExit is the panic value of an activity that is being ended.
type modelExit struct{}

// modelThreads has the activity of each model thread.
var modelThreads [memory.MaxThreads]*Activity

func newModelActivity(in owner) *modelActivity {
	m := &modelActivity{left: park.New(), ready: park.New()}
	m.Activity.owner, m.Activity.started = in, true
	m.stack.waiter.Store(&Waiter{})
	m.stack.activity.Store(&m.Activity)
	m.stack.co.Local = m
	m.Activity.stack.Store(&m.stack)
	return m
}

// run is the activity's thread. ended reports whether it was ended before fn has returned.
func (m *modelActivity) run(fn func(a *Activity)) (ended bool) {
	thread := memory.Index()
	modelThreads[thread] = &m.Activity
	defer func() {
		modelThreads[thread] = nil
		r := recover()
		if _, ended = r.(modelExit); r != nil && !ended {
			panic(r)
		}
		m.left.Unpark()
	}()
	fn(&m.Activity)
	return false
}

// serve is the thread of the processor.
func (m *modelActivity) serve() {
	for {
		m.left.Park()
		finish := m.stack.finalizer
		if finish == nil {
			return
		}
		m.stack.finalizer = nil
		finish(nil, &m.Activity)
	}
}

func modelCurrent() *Activity { return modelThreads[memory.Index()] }

func modelTrade(st *stack) {
	m := st.co.Local.(*modelActivity)
	m.left.Unpark()
	m.ready.Park()
}

func modelReady(st *stack) { st.co.Local.(*modelActivity).ready.Unpark() }

func modelGoexit() { panic(modelExit{}) }
