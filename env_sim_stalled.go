package freerun

import (
	"bytes"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"unsafe"

	"github.com/freerun-go/freerun/activity"
	"github.com/freerun-go/freerun/internal/activityhost"
)

// A deterministic runtime that has come to a standstill knows what waits: it keeps the letters that
// wait for a future, and its activities have their stacks.

// stalledError is an [ErrStalled] that tells what waits for what.
type stalledError struct{ waits []string }

// Error has a line for each that waits.
func (e *stalledError) Error() string {
	return strings.Join(append([]string{ErrStalled.Error()}, e.waits...), "\n\t")
}

// Unwrap returns [ErrStalled].
func (e *stalledError) Unwrap() error { return ErrStalled }

// mostStalled is how many activities, and how many messages, a stalledError names.
const mostStalled = 16

// pending is a letter that waits for a future.
type pending struct {
	letter *message
	future *promise
}

// fewestPending is how many entries are looked through at least when some are forgotten.
const fewestPending = 64

// notePending notes that l waits for m. What does not wait any more is forgotten now and then.
func (rt *Runtime) notePending(l *message, m *promise) {
	if len(rt.pending) >= max(fewestPending, 2*rt.pendingLeft) {
		left := rt.pending[:0]
		for _, p := range rt.pending {
			if p.future.open() {
				left = append(left, p)
			}
		}
		clear(rt.pending[len(left):])
		rt.pending, rt.pendingLeft = left, len(left)
	}
	rt.pending = append(rt.pending, pending{l, m})
}

// stalled returns the error of a caller that waits in vain, for m if that is a future.
func (rt *Runtime) stalled(m *promise) error {
	e := &stalledError{}
	where := waitingCaller()
	if m != nil {
		where += " waits for " + rt.resultOf(m)
	} else {
		where += " waits"
	}
	e.add(where)
	e.addMessages(rt)
	e.addActivities(rt)
	return e
}

func (e *stalledError) add(line string) { e.waits = append(e.waits, line) }

func (e *stalledError) addMore(n int, what string) {
	if n > 0 {
		e.add(fmt.Sprintf("and %d more %s", n, what))
	}
}

func (e *stalledError) addMessages(rt *Runtime) {
	most, more := mostStalled, 0
	for _, p := range rt.pending {
		l := p.letter
		if !p.future.open() || l.vtable() == awaiterVtable || l.vtable() == audienceVtable {
			continue
		}
		if most--; most < 0 {
			more++
			continue
		}
		e.add(nameWaiting(l) + " waits for " + rt.resultOf(p.future))
	}
	e.addMore(more, "messages that wait for a future")
}

func (e *stalledError) addActivities(rt *Runtime) {
	more := activities.EachWaiting(rt.scheduler, mostStalled, func(a *activity.Activity, on *activityhost.Stack, trace []byte) {
		line := "activity " + titleOf(a) + " waits"
		what, where := callInTrace(trace)
		if what != "" {
			line += " in " + what + ", called at " + where
		}
		if m := roomOn(on).awaiting; m != nil && m.open() && strings.HasSuffix(what, ".Await") {
			line += ", for " + rt.resultOf(m)
		}
		e.add(line)
	})
	e.addMore(more, "activities that wait")
}

// nameWaiting names the message of a letter that waits for a future.
func nameWaiting(l *message) string {
	if l.vtable() == waitAllVtable {
		l = (*waitAll)(unsafe.Pointer(l)).then
	}
	name := "operation " + l.vtable().describe(l)
	if l.vtable() == repetitionVtable {
		name = "a timer of Every"
	}
	return name + l.unit.whichIsNamed()
}

// whichIsNamed tells the unit's name, if it has one, as what an operation is for.
func (u *unit) whichIsNamed() string {
	if x := u.ext.Load(); x != nil && x.name != "" {
		return " on unit " + x.name
	}
	return ""
}

// resultOf names what a future is the result of, and why there is none, if it does not wait for
// another one.
func (rt *Runtime) resultOf(m *promise) string {
	text := "the result of operation " + m.vtable().describe(&m.message) + m.unit.whichIsNamed()
	switch x := m.unit.ext.Load(); {
	case m.unit.rt != rt:
		text += ", which is another runtime's"
	case m.edge.Load() != nil: // then it has a line of its own
	case x != nil && x.held.Load() != nil:
		text += ", a unit that is held back by a full mailbox"
	}
	return text
}

// ownPackages are those whose functions are not where a program waits, but what it waits in.
var ownPackages = []string{".", "/activity.", "/sched.", "/freeruntest.", "/simulate.", "/internal/"}

var ownPath = reflect.TypeFor[Runtime]().PkgPath()

// isOwn reports whether a function is of freerun, and not of a program; isBeneath, whether it is of
// Go's library beneath both.
func isOwn(function string) bool {
	rest, own := strings.CutPrefix(function, ownPath)
	for _, p := range ownPackages {
		if own && strings.HasPrefix(rest, p) {
			return true
		}
	}
	return false
}

func isBeneath(function string) bool {
	return strings.HasPrefix(function, "runtime.") || strings.HasPrefix(function, "iter.") || strings.HasPrefix(function, "sync.")
}

// callSearch looks for the call of a function of freerun by the program, in the frames of a stack,
// the innermost first.
type callSearch struct{ what, where string }

// found takes the next frame, and reports whether that is where the program calls.
func (c *callSearch) found(function, file string, line string) bool {
	switch {
	case isOwn(function):
		c.what = function[strings.LastIndexByte(function, '/')+1:]
	case c.what != "" && !isBeneath(function):
		c.where = filepath.Base(file) + ":" + line
		return true
	}
	return false
}

// waitingCaller tells in which function of freerun the calling goroutine waits, and where that was
// called.
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

// callInTrace is waitingCaller for another goroutine, of which there is a trace: a heading, and two
// lines for each frame.
func callInTrace(trace []byte) (what, where string) {
	lines, c := bytes.Split(trace, []byte("\n")), callSearch{}
	for i := 1; i+1 < len(lines); i += 2 {
		function, at := string(lines[i]), strings.TrimSpace(string(lines[i+1]))
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
