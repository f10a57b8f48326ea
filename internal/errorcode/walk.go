package errorcode

import "fmt"

const (
	// mostErrors is the number of errors of a tree that a walk looks at.
	mostErrors = 1024
	// mostDepth is how many times an error may be wrapped for a walk to come to it.
	mostDepth = 100
)

// textOf returns what an error says, which is never nothing: that would be no error. The methods of
// errors are the user's and may panic, a nil pointer's for one.
func textOf(err error) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprintf("an error of type %T, whose method Error panicked", err)
			if said, plain := v.(string); plain {
				text += ": " + said
			}
		}
	}()
	if text = err.Error(); text == "" {
		text = fmt.Sprintf("an error of type %T, which says nothing", err)
	}
	return text
}

// namesIn returns the names of all registered errors in the tree of err, in order.
func namesIn(err error) []string {
	w := walk{entries: registered(), left: mostErrors}
	w.found = make([]bool, len(w.entries))
	w.visit(err, 0)
	for i, found := range w.found {
		if found {
			w.names = append(w.names, w.entries[i].name)
		}
	}
	return normal(w.names)
}

// walk is one look through the tree of an error.
type walk struct {
	entries []entry
	found   []bool   // for each of entries
	names   []string // of errors that were decoded
	left    int      // how many errors the walk may still look at
}

// visit looks at err, and then at what it wraps. errors.Is would do so for each of the entries, and
// would not come back from a tree that leads back to itself.
func (w *walk) visit(err error, depth int) {
	if err == nil || depth > mostDepth || w.left == 0 {
		return
	}
	w.left--
	if d, ours := err.(*decoded); ours {
		w.names = append(w.names, d.names...) // those of what it wraps, too
		return
	}
	is, answers := err.(interface{ Is(error) bool })
	for i, e := range w.entries {
		if !w.found[i] {
			w.found[i] = equal(err, e.err) || answers && answer(is, e.err)
		}
	}
	for _, inner := range wrapped(err) {
		w.visit(inner, depth+1)
	}
}

// equal compares errors of the user's. It is false for those that == cannot compare.
func equal(a, b error) (yes bool) {
	defer func() {
		if recover() != nil {
			yes = false
		}
	}()
	return a == b
}

// answer returns what the method Is of an error says, false if it panics.
func answer(err interface{ Is(error) bool }, target error) (yes bool) {
	defer func() {
		if recover() != nil {
			yes = false
		}
	}()
	return err.Is(target)
}

// wrapped returns what an error wraps, nothing if its method panics.
func wrapped(err error) (inner []error) {
	defer func() {
		if recover() != nil {
			inner = nil
		}
	}()
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		return []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		return e.Unwrap()
	}
	return nil
}
