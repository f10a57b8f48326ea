package memory

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// Kind says what a thread is about to do.
type Kind uint8

const (
	// Load reads a location.
	Load Kind = iota
	// Store writes a location.
	Store
	// Update reads and writes a location at once, as a compare-and-swap does even if it fails.
	Update
	// Flush makes a relaxed store, which was in the store buffer of its thread, visible to others.
	Flush
	// Spin touches nothing: the thread waits until another one has written something.
	Spin
	// Acquire waits until a condition holds and takes, in the same step, what it waited for.
	Acquire
)

// String returns the word that traces use.
func (k Kind) String() string {
	return [...]string{"load", "store", "update", "flush", "spin", "acquire"}[k]
}

// Writes reports whether another thread could tell that it was done.
func (k Kind) Writes() bool { return k == Store || k == Update || k == Flush || k == Acquire }

// Fences reports whether the relaxed stores of the thread must all be visible before.
func (k Kind) Fences() bool { return k == Store || k == Update || k == Acquire }

// Access is one step of a thread, as announced before it is done.
type Access struct {
	Kind Kind
	At   *Location   // nil for a Spin
	Also *Location   // of an Acquire: what else can open it, and is read; nil for nothing
	Open func() bool // of an Acquire: whether it can be done now
	From []uintptr   // while tracing: the callers
}

// Where returns the line that made the access, in the form file:line function, or nothing unless it
// was traced.
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

// seam reports whether a function only passes an access on.
func seam(function string) bool {
	for _, name := range []string{"model", "atomics", "backoff", "park", "pin"} {
		if strings.Contains(function, "/internal/"+name+".") {
			return true
		}
	}
	return false
}
