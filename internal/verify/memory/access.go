package memory

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// Kind is the kind of a step of a thread.
type Kind uint8

const (
	// Load reads a location.
	Load Kind = iota
	// Store writes a location.
	Store
	// Update reads and writes a location at once. A compare-and-swap is an Update even if it fails.
	Update
	// Flush makes a relaxed store in the store buffer of its thread visible to other threads.
	Flush
	// Spin accesses no location: the thread waits until another thread has written something.
	Spin
	// Acquire waits until a condition holds and takes the token it waits for in the same step.
	Acquire
)

// String returns the name of the kind in traces.
func (k Kind) String() string {
	return [...]string{"load", "store", "update", "flush", "spin", "acquire"}[k]
}

// Writes reports whether a step of this kind may be visible to other threads.
func (k Kind) Writes() bool { return k == Store || k == Update || k == Flush || k == Acquire }

// Fences reports whether all relaxed stores of the thread must be visible before the step.
func (k Kind) Fences() bool { return k == Store || k == Update || k == Acquire }

// Access describes one step of a thread before the thread makes it.
type Access struct {
	Kind Kind
	At   *Location   // nil for a Spin
	Also *Location   // of an Acquire: a second location that can open it, and is read; or nil
	Open func() bool // of an Acquire: whether the step can be made now
	From []uintptr   // while tracing: the callers
}

// Where returns the line of code that made the access, in the form file:line function. Without
// tracing it returns "".
func (a Access) Where() string {
	if len(a.From) == 0 {
		return ""
	}
	frames := runtime.CallersFrames(a.From)
	for {
		f, more := frames.Next()
		if f.Function != "" && !seam(f.Function) {
			function := strings.ReplaceAll(path.Base(f.Function), "[...]", "")
			return fmt.Sprintf("%s:%d %s", path.Base(f.File), f.Line, function)
		}
		if !more {
			return ""
		}
	}
}

// seam reports whether a function belongs to a package that passes accesses on, so that Where names
// its caller.
func seam(function string) bool {
	for _, name := range Seams {
		if strings.Contains(function, "/internal/"+name+".") {
			return true
		}
	}
	return false
}

// Seams lists the packages below internal that pass accesses on.
var Seams = []string{"verify/memory", "sync/atomics", "sync/backoff", "sync/park", "sys/pin"}
