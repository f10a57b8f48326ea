package freerun

import (
	"bytes"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/activityhost"
)

// A deterministic runtime that has come to a standstill can report every waiter: it keeps a list of
// the messages that wait for a future, and its waiting activities have stacks.

// stalledError is an [ErrStalled], or the error of a schedule that is to end, that names the
// waiters, and what they wait for.
type stalledError struct {
	why   error
	waits []string
}

// Error has a line for each waiter.
func (e *stalledError) Error() string {
	return strings.Join(append([]string{e.why.Error()}, e.waits...), "\n\t")
}

// Unwrap returns the first line's error.
func (e *stalledError) Unwrap() error { return e.why }

// mostStalled is how many activities, and how many messages, a stalledError names.
const mostStalled = 16

// pending is a message that waits for a future.
type pending struct {
	message *message
	future  *promised
}

// noteWait records that msg waits for p.
func (m *simulation) noteWait(msg *message, p *promised) {
	m.pending.add(pending{msg, p}, func(w pending) bool { return w.future.Open() })
}

// stalled returns the error for a caller that waits in vain for x. If x is a future, the error
// names it.
func (m *simulation) stalled(x condition) error { return m.waitersOf(ErrStalled, x) }

// waitersOf adds to an error who waits. The caller waits for x.
func (m *simulation) waitersOf(why error, x condition) error {
	e := &stalledError{why: why}
	where := waitingCaller() + " waits"
	if p, ok := x.(*promised); ok {
		where += " for " + m.resultOf(p)
	}
	e.add(where)
	e.addMessages(m)
	e.addActivities(m)
	return e
}

func (e *stalledError) add(line string) { e.waits = append(e.waits, line) }

func (e *stalledError) addMore(n int, what string) {
	if n > 0 {
		e.add(fmt.Sprintf("and %d more %s", n, what))
	}
}

func (e *stalledError) addMessages(m *simulation) {
	most, more := mostStalled, 0
	for _, p := range m.pending.all {
		msg := p.message
		if !p.future.Open() || msg.vtable() == awaiterVtable || msg.vtable() == audienceVtable {
			continue
		}
		if most--; most < 0 {
			more++
			continue
		}
		e.add(nameWaiting(msg) + " waits for " + m.resultOf(p.future))
	}
	e.addMore(more, "messages that wait for a future")
}

func (e *stalledError) addActivities(m *simulation) {
	more := activities.EachTraced(m.rt.scheduler, mostStalled, func(a *activity.Activity, on *activityhost.Stack, waits bool, trace []byte) {
		line := "activity " + titleOf(a) + " is ready"
		if waits {
			line = "activity " + titleOf(a) + " waits"
		}
		what, where := callInTrace(trace)
		if what != "" {
			line += " in " + what + ", called at " + where
		}
		if r := slotOf(on); r != nil && r.awaiting != nil && r.awaiting.Open() && strings.HasSuffix(what, ".Await") {
			line += ", for " + m.resultOf(r.awaiting)
		}
		e.add(line)
	})
	e.addMore(more, "activities")
}

// nameWaiting names a message that waits for a future. For a waitAll it names the message that
// waits for all of them.
func nameWaiting(m *message) string {
	if m.vtable() == waitAllVtable {
		m = (*waitAll)(unsafe.Pointer(m)).then
	}
	name := "operation " + m.vtable().describe(m)
	if m.vtable() == repetitionVtable {
		name = "a timer of Every"
	}
	return name + m.unit.whichIsNamed()
}

// whichIsNamed returns " on unit" and the unit's name, "" if it has none.
func (u *unit) whichIsNamed() string {
	if x := u.ext.Load(); x != nil && x.has().name != "" {
		return " on unit " + x.settings.name
	}
	return ""
}

// resultOf names the operation of a future, and says why it has no outcome yet if the reason is
// another runtime, or a muted or suspended unit. An operation that waits for a future has a line of
// its own.
func (m *simulation) resultOf(p *promised) string {
	text := "the result of operation " + p.vtable().describe(&p.message) + p.unit.whichIsNamed()
	switch x := p.unit.ext.Load(); {
	case p.unit.rt != m.rt:
		text += ", which is another runtime's"
	case p.HasEdge(): // it waits for a future itself, and has a line of its own
	case x != nil && x.held.Load() != nil:
		text += ", a unit that is held back by a full mailbox"
	case x != nil && x.isSuspended() && x.still.Load() != p:
		text += ", a unit that is suspended"
	}
	return text
}

// ownPackages are the packages of freerun: a program waits in their functions, and calls them from
// its own.
var ownPackages = []string{".", "/activity.", "/freeruntest.", "/simulate.", "/internal/"}

// isOwn reports whether a function belongs to freerun, and not to a program.
func isOwn(function string) bool {
	rest, own := strings.CutPrefix(function, ownPath)
	for _, p := range ownPackages {
		if own && strings.HasPrefix(rest, p) {
			return true
		}
	}
	return false
}

// isBeneath reports whether a function belongs to the part of Go's library beneath both freerun and
// the program.
func isBeneath(function string) bool {
	name, _, _ := strings.Cut(function, ".")
	return slices.Contains([]string{"runtime", "iter", "sync", "internal/sync"}, name)
}

// callSearch looks in the frames of a stack, the innermost first, for the program's call of a
// function of freerun, or of one that blocks and knows nothing of freerun.
type callSearch struct {
	what, where string
	unaware     bool
}

// found takes the next frame, and reports whether it is the frame of the program's call.
func (c *callSearch) found(function, file string, line string) bool {
	switch {
	case function == ownPath+"/activity.turnUnaware":
		c.what, c.unaware = "a channel operation", true // Go's runtime is not in traces
	case c.unaware && strings.HasPrefix(function, "sync."):
		c.what = function
	case isOwn(function):
		c.what, c.unaware = function[strings.LastIndexByte(function, '/')+1:], false
	case c.what != "" && !isBeneath(function):
		c.where = filepath.Base(file) + ":" + line
		return true
	}
	return false
}

// waitingCaller says in which function of freerun the calling goroutine waits, and where the
// program called it.
func waitingCaller() string {
	var counters [64]uintptr
	frames, c := runtime.CallersFrames(counters[:runtime.Callers(1, counters[:])]), callSearch{}
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if c.found(f.Function, f.File, fmt.Sprint(f.Line)) {
			return c.what + ", called at " + c.where + ","
		}
	}
	return "the goroutine"
}

// callInTrace is waitingCaller for another goroutine, given its trace: a heading, and two lines for
// each frame.
func callInTrace(trace []byte) (what, where string) {
	lines, c := bytes.Split(trace, []byte("\n")), callSearch{}
	for i := 1; i+1 < len(lines); i += 2 {
		function, at := string(lines[i]), strings.TrimSpace(string(lines[i+1]))
		if strings.HasPrefix(function, "created by ") {
			break // it has only begun
		}
		if arguments := strings.LastIndexByte(function, '('); arguments > 0 {
			function = function[:arguments]
		}
		at, _, _ = strings.Cut(at, " ")
		colon := max(0, strings.LastIndexByte(at, ':'))
		if c.found(function, at[:colon], strings.TrimPrefix(at[colon:], ":")) {
			return c.what, c.where
		}
	}
	return "", ""
}
