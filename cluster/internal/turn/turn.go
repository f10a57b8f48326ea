// Package turn runs the state machines of packages partition and calls, one step after another: in
// the operations of a runtime, or on the goroutine that brings the step (Inline).
package turn

import (
	"fmt"
	"math"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/partition"
	"github.com/freerun-go/freerun/internal/route"
)

// Sketch:     what is to run is in a list, the last one first. The one that finds the list empty
//             has an operation take what is there; that leaves a mark in place of it, so that
//             others only add to the list, and ends by taking the mark away
//             Inline puts the mark in place of an empty list, and so does all that itself; after
//             some steps of others an operation goes on with the rest
// Invariants: T1 One operation, or one caller of Inline, at a time runs what is in the list, in the
//             order in which it came.
//             T2 While there is a step in the list one of them runs, or an operation is to come.
// Progress:   lock-free
// Checked by: TestTurn, TestTurnDrains

// Turn is a turn: a [partition.World]. Any goroutine may call the methods; none waits. A runtime
// that drains goes on with what is given to Run, and not with what is given to After.
type Turn struct {
	rt   *freerun.Runtime
	list atomic.Pointer[step]
}

// step is a function that is to run.
type step struct {
	fn   func()
	next *step
}

// under is in place of an empty list while an operation runs what was in it.
var under = new(step)

var _ partition.World = (*Turn)(nil)

var seam = route.For[freerun.UnitOption, freerun.KindOption, *freerun.Context, *freerun.Invocation]()

// New returns a turn. Once the runtime has ended, it drops what it is given.
func New(rt *freerun.Runtime) *Turn { return &Turn{rt: rt} }

// Run implements [partition.World].
func (t *Turn) Run(fn func()) {
	s := &step{fn: fn}
	for {
		s.next = t.list.Load()
		first := s.next == nil // s is another operation's once it is in the list
		if !t.list.CompareAndSwap(s.next, s) {
			continue
		}
		if first {
			seam.Soon(t.rt, (*operation)(t))
		}
		return
	}
}

// Inline is Run in which the caller runs fn at once if nobody else runs anything, and some of what
// comes meanwhile.
func (t *Turn) Inline(fn func()) {
	if !t.list.CompareAndSwap(nil, under) {
		t.Run(fn)
	} else if !(*operation)(t).runs(fn, mostInline) {
		seam.Soon(t.rt, (*rest)(t))
	}
}

// mostInline is how many steps of others a caller of Inline runs, or as many as it has found at
// once: it has things of its own to do.
const mostInline = 64

// later gives a turn a function after a while.
var later = freerun.FreeOp("laterInTurn", func(_ *freerun.Context, s laterStep) (struct{}, error) {
	s.turn.Run(s.fn)
	return struct{}{}, nil
})

type laterStep struct {
	turn *Turn
	fn   func()
}

// After implements [partition.World].
func (t *Turn) After(d time.Duration, fn func()) {
	later.SendAfter(t.rt.Context(), d, laterStep{t, fn})
}

// Now implements [partition.World].
func (t *Turn) Now() time.Time { return t.rt.Now() }

// operation is the operation that runs what is in a turn's list.
type operation Turn

// Run implements [route.Turn].
func (o *operation) Run(*freerun.Context, any) { o.runs(nil, math.MaxInt) }

// runs runs first, unless it is nil, and then what is in the list, up to a number of steps. It
// reports whether it has left the list empty; otherwise the turn is the caller's still.
func (o *operation) runs(first func(), most int) (all bool) {
	over := false
	defer func() {
		if !over {
			crash(recover())
		}
	}()
	if first != nil {
		first()
	}
	for n := 0; ; {
		if (first != nil || n > 0) && o.list.CompareAndSwap(under, nil) {
			over = true
			return true
		}
		if n >= most {
			over = true
			return false
		}
		for s := inOrder(o.list.Swap(under)); s != nil; s = s.next {
			s.fn()
			n++
		}
	}
}

// rest is the operation that goes on after a caller of Inline.
type rest Turn

// Run implements [route.Turn].
func (r *rest) Run(*freerun.Context, any) { (*operation)(r).runs(nil, math.MaxInt) }

// Failed implements [route.Turn]. The runtime has ended: who has begun goes on.
func (r *rest) Failed(error) { r.Run(nil, nil) }

// crash ends the program, since a step has panicked: what the turn guards is half changed, and
// other machines go on from what is stored.
func crash(value any) {
	text := fmt.Sprintf("cluster: a step of a partition panicked: %v\n%s", value, debug.Stack())
	go func() { panic(text) }()
	select {} // until the program has ended
}

// Failed implements [route.Turn]. The runtime has ended.
func (o *operation) Failed(error) {}

// inOrder turns a list around, up to the mark.
func inOrder(last *step) (first *step) {
	for s := last; s != nil && s != under; {
		s.next, first, s = first, s, s.next
	}
	return first
}
