package activity

import (
	"runtime"
	"strings"

	"github.com/freerun-go/freerun/internal/sys/blockhook"
)

// Sketch:     code that knows nothing of activities blocks its goroutine: in a channel operation, a
//             lock of package sync, the network. In a program of `freerun build` the goroutine
//             tells so first, and an activity gives its processor away, as in Block
//             in a deterministic runtime, where nothing would run then, it yields until it need not
//             block
// Invariants: U1 An activity that holds a lock of package sync, and has yielded, runs on: whoever
//             waits for the lock keeps no processor from it.
//             U2 Code of freerun itself, and what it calls of the user, such as a handler of a log,
//             keeps its processor when it blocks: it relies on that. It waits for no activity.
//             U3 An activity does not end where it blocks unaware: the lock that it waits for would
//             be left half taken. It ends where it next waits or yields. Not so in a deterministic
//             runtime that gives up: nobody else would ever run there.
//             U4 Go's runtime itself, as when it begins to collect garbage, blocks as ever, and
//             does not call the hook: it may hold what package activity needs, which allocates.
// Checked by: of package main TestUnaware, TestUnawareEnds

func init() {
	if blockhook.Compiled && !modelled {
		blockhook.Install(leaveUnaware, returnUnaware, turnUnaware)
	}
}

// leaveUnaware has an activity that is about to block give its processor away.
func leaveUnaware() blockhook.Answer {
	st := currentStack()
	if st == nil {
		return blockhook.Block
	}
	p := st.co.Processor()
	if p == nil { // in Block
		return blockhook.Block
	}
	if user, _ := runsUser(); !user { // below freerun's own code
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

// returnUnaware has an activity that has blocked wait for a processor.
func returnUnaware() { currentStack().rejoin() }

// turnUnaware lets others run, in a deterministic runtime.
func turnUnaware() { currentStack().activity.Load().Yield() }

// runsUser reports whether code of the user runs, and nothing of freerun waits for it: whether on
// the stack of the activity are functions of the user and of the standard library alone. It also
// returns the number of calls that it has looked at. It is called by what the hook calls.
func runsUser() (user bool, depth int) {
	var few [64]uintptr
	callers := few[:]
	n := runtime.Callers(3, callers)
	for ; n == len(callers); n = runtime.Callers(3, callers) {
		if n >= deepest {
			return false, n
		}
		callers = make([]uintptr, 4*n)
	}
	for frames := runtime.CallersFrames(callers[:n]); ; {
		frame, more := frames.Next()
		switch function := frame.Function; {
		case function == performs:
			return true, n
		case isOwn(function) || !more:
			return false, n
		}
	}
}

const (
	// deepest is how deep a stack may be.
	deepest = 1 << 16
	// performs is the function that calls that of an activity.
	performs = own + "/activity.(*stack).perform"
	own      = "github.com/freerun-go/freerun"
)

// isOwn reports whether a function is of the packages of freerun that run on a processor.
func isOwn(function string) bool {
	rest, ours := strings.CutPrefix(function, own)
	return ours && (rest[0] == '.' || strings.HasPrefix(rest, "/activity.") || strings.HasPrefix(rest, "/internal/"))
}
