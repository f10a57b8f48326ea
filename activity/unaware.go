package activity

import (
	"runtime"
	"slices"
	"strings"

	"github.com/freerun-go/freerun/internal/activityhost"
	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sys/blockhook"
)

// Sketch:     code that knows nothing of activities blocks its goroutine: in a channel operation, a
//             lock of package sync, the network. In a program of `freerun build` the goroutine
//             tells so first, and an activity or an operation gives its processor away, as in Block
//             in a deterministic runtime, where nothing would run then, it yields until it need not
//             block
// Invariants: U1 An activity that holds a lock of package sync, and has yielded, runs on: whoever
//             waits for the lock keeps no processor from it.
//             U2 Code of freerun itself, and what it calls of the user, such as a handler of a log,
//             keeps its processor when it blocks: it relies on that. It waits for no activity.
//             Functions that let the user call Block rely on nothing: those that call operations
//             and branches, and Do of a Monitor.
//             U3 An activity does not end where it blocks unaware: the lock that it waits for would
//             be left half taken. It ends where it next waits or yields. Not so in a deterministic
//             runtime that gives up: nobody else would ever run there.
//             U4 Go's runtime itself, as when it begins to collect garbage, blocks as ever, and
//             does not call the hook: it may hold what package activity needs, which allocates.
// Checked by: of package main TestUnaware, TestUnawareBelow, TestUnawareEnds

func init() {
	if blockhook.Compiled && !modelled {
		blockhook.Install(leaveUnaware, returnUnaware, turnUnaware)
	}
}

// leaveUnaware has an activity that is about to block give its processor away.
func leaveUnaware() blockhook.Answer {
	st := currentStack()
	if st == nil {
		return leaveOperation()
	}
	p := st.co.Processor()
	if p == nil { // in Block
		return blockhook.Block
	}
	if user, _ := runsUser(performs, 1); !user {
		return blockhook.Block
	}
	if p.Driven() {
		if st.co.Locked() {
			return blockhook.Block
		}
		return blockhook.Turn
	}
	st.depart(p)
	return blockhook.Return
}

// leaveOperation has an operation that is about to block give its processor away, as in Block.
func leaveOperation() blockhook.Answer {
	h := sched.CurrentHost()
	if h == nil {
		return blockhook.Block
	}
	p := h.Processor()
	if p == nil || p.Driven() {
		return blockhook.Block
	}
	if user, _ := runsUser(works, 2); !user {
		return blockhook.Block
	}
	activityhost.Operations.Leave(p)
	return blockhook.Return
}

// returnUnaware has an activity that has blocked wait for a processor. An operation runs on without
// one.
func returnUnaware() {
	if st := currentStack(); st != nil {
		st.rejoin()
	} else {
		activityhost.Operations.Back(sched.CurrentHost())
	}
}

// turnUnaware lets others run, in a deterministic runtime.
func turnUnaware() { currentStack().activity.Load().Yield() }

// runsUser reports whether code of the user runs, and nothing of freerun relies on it: whether on
// the stack, up to the function root, are functions of the user and of the standard library alone,
// and those of freerun that let the user wait. It also returns the number of calls that it has
// looked at. Of the functions that have called it, it overlooks those that skip counts.
func runsUser(root string, skip int) (user bool, depth int) {
	var few [64]uintptr
	callers := few[:]
	n := runtime.Callers(2+skip, callers)
	for ; n == len(callers); n = runtime.Callers(2+skip, callers) {
		if n >= deepest {
			return false, n
		}
		callers = make([]uintptr, 4*n)
	}
	for frames := runtime.CallersFrames(callers[:n]); ; {
		frame, more := frames.Next()
		switch function := frame.Function; {
		case function == root:
			return true, n
		case isOwn(function) && !letsWait(function) || !more:
			return false, n
		}
	}
}

const (
	// deepest is how deep a stack may be.
	deepest = 1 << 16
	// performs is the function that calls that of an activity.
	performs = own + "/activity.(*stack).perform"
	// works is the function that calls those of operations.
	works = own + "/internal/sched.(*Host).work"
	own   = "github.com/freerun-go/freerun"
)

// waits are the functions of freerun below which the user may call Block or Yield, and so may wait
// unaware: they rely on no processor while they call what is the user's. Package lock, which is
// used as a library is, parks in package park.
var waits = []string{
	// operations of all kinds, what is around them, and the functions of kinds
	".(*operation[", ".Op[", ".Op2[", ".OpAll[", ".ReadOp[", ".newFreeOp[", ".NoResult[", ".Do[", ".Read[", ".goOperation[",
	".drain", ".(*unit).drainWithExt", ".(*unit).runOne", ".runNow[", ".tryNow[", ".(*FreeOperation[", ".(*keyedForms[",
	".(*core).around", ".(*core).surrounded", ".(*core).runSendAround", ".(*core).runTellAround", ".(*Invocation).",
	".(*Kind[...]).assemble", ".(*Kind[...]).runStop",
	// branches and loops
	".Join[", ".joinEntering[", ".joinApart[", ".alone", ".invoke[", ".(*ForkFunc[", ".(*forkStack[", ".For", ".ForRange", ".Reduce[",
	".loop[", ".(*loopFrame[", ".(*loopStack[", ".(*span[", ".runJob", ".(*job).steal", ".(*branch[",
	"/activity.(*Monitor).Do",
	"/internal/sync/park.",
}

// letsWait reports whether a function of freerun is one of those.
func letsWait(function string) bool {
	name := function[len(own):]
	return slices.ContainsFunc(waits, func(w string) bool {
		rest, found := strings.CutPrefix(name, w)
		return found && (rest == "" || rest[0] == '.' || strings.ContainsRune("[.", rune(w[len(w)-1])))
	})
}

// isOwn reports whether a function is of the packages of freerun that run on a processor.
func isOwn(function string) bool {
	rest, ours := strings.CutPrefix(function, own)
	return ours && (rest[0] == '.' || strings.HasPrefix(rest, "/activity.") || strings.HasPrefix(rest, "/internal/"))
}
