package activity

import (
	"runtime"
	"slices"
	"strings"
)

// What is on the stack of an activity: whether it may wait or yield, in code that knows nothing of
// activities. It is asked where an activity is about to block, or was preempted, and, in a program
// that has exempt functions, where a quantum of checks is used up.

// runsUser reports whether code of the user runs, and nothing of freerun relies on it: whether on
// the stack, up to the function root, are functions of the user and of the standard library alone,
// and those of freerun that let the user wait. callers notes them, as runtime.Callers does.
func runsUser(root string, callers func(pcs []uintptr) int) bool {
	reached, _ := reaches(root, callers, isRelying)
	return reached
}

// reaches reports whether the function root is on a stack, above others that are no obstacle, and
// not all freerun's or of Go's runtime: in root itself nothing of the user runs yet, or any more.
// It also returns the number of calls that it has looked at. callers notes them, as runtime.Callers
// does.
func reaches(root string, callers func(pcs []uintptr) int, isObstacle func(function string) bool) (reached bool, depth int) {
	var few [64]uintptr
	pcs := few[:]
	n := callers(pcs)
	for ; n == len(pcs); n = callers(pcs) {
		if n >= deepest {
			return false, n
		}
		pcs = make([]uintptr, 4*n)
	}
	user := false
	for _, pc := range pcs[:n] {
		function := functionAt(pc)
		switch {
		case function == root:
			return user, n
		case isObstacle(function):
			return false, n
		}
		user = user || !isOwn(function) && !strings.HasPrefix(function, "runtime.")
	}
	return false, n
}

// isRelying reports whether a function is freerun's, and relies on what runs.
func isRelying(function string) bool { return isOwn(function) && !letsWait(function) }

// callersAbove notes the callers of the calling function's caller, but for those that skip counts.
func callersAbove(skip int) func(pcs []uintptr) int {
	return func(pcs []uintptr) int { return runtime.Callers(4+skip, pcs) }
}

const (
	// deepest is how deep a stack may be.
	deepest = 1 << 20
	// performs is the function that calls that of an activity.
	performs = own + "/activity.(*stack).perform"
	// works is the function that calls those of operations.
	works = own + "/internal/sched.(*Host).work"
	own   = "github.com/freerun-go/freerun"
)

// waits are the functions of freerun below which the user may call Block or Yield, and so may wait
// unaware: they rely on no processor while they call what is the user's. Package lock, which is
// used as a library is, parks in package park.
//
// They are listed, and not those that rely: most of freerun does, wherever a lock of the standard
// library, a route, a store, a log or a trace can block below it, and one that is forgotten here
// keeps a processor, where the other way round it would go on with another's. What an exported
// function is given to call is below listed ones, or an exception: TestUnawareCallbacks, of package
// main of the command, asks each.
var waits = []string{
	// the functions of operations, by what declares or sends them
	".Op[", ".Op2[", ".OpAll[", ".ReadOp[", ".newFreeOp[", ".NoResult[", ".Do[", ".Read[", ".goOperation[",
	".Then[", ".Then2[", ".Handle[", ".When2[", ".WhenAll[", ".Every", ".(*keyedForms[",
	".SubscribeNewest[", ".deliveryOf[", ".runDelivery[",
	// what runs operations, and what is around them
	".(*operation[", ".drain", ".(*unit).drainWithExt", ".(*unit).runOne", ".(*priorityMailboxes).serve",
	".(*priorityMailboxes).runNormal", ".runPriorityMailbox", ".runNow[", ".tryNow[", ".(*FreeOperation[",
	".(*core).around", ".(*core).surrounded", ".(*core).runSendAround", ".(*core).runTellAround", ".(*Invocation).",
	// the lives of units: Stop, OnEnd and OnIdle; the functions of kinds
	".lifeOperation[", ".endInTurn", ".OnEnd[", ".lookInTurn", ".OnIdle[",
	".(*Kind[...]).assemble", ".(*Kind[...]).runStop", ".load[", ".made[", ".assembleMaking[",
	// what a store does in a unit's turn: it may run an operation again
	".runTurn", ".runTurnAll", ".(*turnOf).Run", ".again",
	// branches and loops
	".Join[", ".joinEntering[", ".joinApart[", ".alone", ".invoke[", ".(*ForkFunc[", ".(*forkStack[", ".For", ".ForRange", ".Reduce[",
	".loop[", ".(*loopFrame[", ".(*loopStack[", ".(*span[", ".span[", ".runSpan[", ".runJob", ".(*job).steal", ".(*branch[",
	".(*visit).run", ".(*Context).await", ".(*Context).help",
	// a handler of logs below that of freerun
	".(*logHandler).",
	// loops over what was copied before
	".(*Kind[...]).All", ".Operations",
	"/activity.(*Monitor).Do", "/activity.(*Cond).Wait",
	"/internal/sync/park.",
}

// letsWait reports whether a function of freerun is one of those.
func letsWait(function string) bool {
	name := function[len(own):]
	return slices.ContainsFunc(waits, func(w string) bool {
		rest, found := strings.CutPrefix(name, w)
		return found && (rest == "" || rest[0] == '.' || rest == "-fm" || strings.ContainsRune("[.", rune(w[len(w)-1])))
	})
}

// isOwn reports whether a function is of the packages of freerun that run on a processor.
func isOwn(function string) bool {
	rest, ours := strings.CutPrefix(function, own)
	return ours && (rest[0] == '.' || strings.HasPrefix(rest, "/activity.") || strings.HasPrefix(rest, "/internal/"))
}

// isLibrary reports whether a function is freerun's: of the packages that run on a processor, or of
// those that are useful alone, which call nothing of the user's in the middle of what others wait
// for.
func isLibrary(function string) bool {
	rest, ours := strings.CutPrefix(function, own)
	return ours && (isOwn(function) || slices.ContainsFunc(structures, func(p string) bool { return strings.HasPrefix(rest, p) }))
}

var structures = []string{"/queue.", "/deque.", "/lock.", "/offheap"}

// isBase reports whether a function may be called, or inlined, by freerun's own code in the middle
// of what it does, and so tells nothing of whose code runs.
func isBase(function string) bool {
	return slices.ContainsFunc(bases, func(p string) bool { return strings.HasPrefix(function, p) })
}

var bases = []string{"runtime.", "runtime/", "internal/", "sync/atomic.", "math/bits.", "unsafe."}
