package activity

import (
	"runtime"
	"strings"

	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sys/blockhook"
)

// Sketch:     code that knows nothing of activities blocks its goroutine: in a channel operation, a
//             lock of package sync, the network. In a program of `freerun build` the goroutine
//             tells so first, and an activity gives its processor away, as in Block
//             in a deterministic runtime, where nothing would run then, it yields until it need not
//             block
// Invariants: U1 An activity that holds a lock of package sync, and has yielded, runs on: whoever
//             waits for the lock keeps no processor from it.
//             U2 Code of freerun itself that blocks keeps its processor: it relies on that. It
//             waits for no activity.
//             U3 An activity does not end where it blocks unaware: the lock that it waits for would
//             be left half taken. It ends where it next waits or yields.
// Checked by: of package main TestUnaware

func init() {
	if blockhook.Compiled && !modelled {
		blockhook.Install(leaveUnaware, returnUnaware, turnUnaware)
	}
}

// leaveUnaware has an activity that is about to block give its processor away.
func leaveUnaware() blockhook.Answer {
	st := stackHere()
	if st == nil {
		return blockhook.Block
	}
	p := st.co.Processor()
	if p == nil || !blocksUser() { // in Block; in freerun's own code
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
func returnUnaware() { stackHere().rejoin() }

// turnUnaware lets others run, in a deterministic runtime.
func turnUnaware() { stackHere().activity.Load().Yield() }

// stackHere returns the stack that the calling goroutine is; nil for any other goroutine.
func stackHere() *stack {
	if co := sched.CurrentCoroutine(); co != nil {
		if st, ok := co.Local.(*stack); ok {
			return st
		}
	}
	return nil
}

// blocksUser reports whether the calling goroutine is about to block for code of the user: whether
// the innermost function that is not of the standard library is not one of freerun.
func blocksUser() bool {
	var callers [32]uintptr
	n := runtime.Callers(3, callers[:]) // 3: the runtime's function that blocks
	for frames := runtime.CallersFrames(callers[:n]); ; {
		frame, more := frames.Next()
		switch {
		case isOwn(frame.Function):
			return false
		case !isStandard(frame.Function):
			return true
		case !more:
			return false
		}
	}
}

// isOwn reports whether a function is of the packages of freerun that run on a processor.
func isOwn(function string) bool {
	rest, ours := strings.CutPrefix(function, "github.com/freerun-go/freerun")
	return ours && (rest[0] == '.' || strings.HasPrefix(rest, "/activity.") || strings.HasPrefix(rest, "/internal/"))
}

// isStandard reports whether a function is of the standard library: the path of a package that is
// not begins with the name of a server, or with none of these.
func isStandard(function string) bool {
	first := function
	if at := strings.IndexAny(function, "/."); at >= 0 {
		first = function[:at]
	}
	_, known := standard[first]
	return known
}

// standard has the first elements of the paths of the standard library.
var standard = func() map[string]struct{} {
	all := map[string]struct{}{}
	for name := range strings.FieldsSeq("archive bufio bytes cmp compress container context crypto database debug " +
		"encoding errors expvar flag fmt go hash html image index internal io iter log maps math mime net os path plugin " +
		"reflect regexp runtime slices sort strconv strings structs sync syscall testing text time unicode unique vendor weak") {
		all[name] = struct{}{}
	}
	return all
}()
