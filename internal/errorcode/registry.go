package errorcode

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strconv"
	"sync"
)

// mostName is the number of bytes that a name may have.
const mostName = 128

// entry is a registered error. It does not change.
type entry struct {
	name string
	err  error
}

// registry has the registered errors. They only become more, so a reader may keep the slice that it
// has seen.
var registry struct {
	sync.RWMutex
	entries []entry
	byName  map[string]error
}

// Register gives err, which programs test for with [errors.Is], the name under which it is stored.
// Call it at the start of the program, before errors are encoded or decoded: from an init function
// of the package that owns err. Any goroutine may call it.
//
// A name has 1 to 128 letters and digits of ASCII and any of _ . / -. Register panics for other
// names and for a name that is taken; for a nil error, for one that is registered already, and for
// one that == cannot compare, as errors.Is would never find it.
func Register(name string, err error) {
	switch {
	case !isName(name):
		panic(fmt.Sprintf("errorcode: %q is no name of an error: it has 1 to %d of A-Z a-z 0-9 _ . / -", name, mostName))
	case err == nil:
		panic(fmt.Sprintf("errorcode: a nil error is registered as %s", name))
	case !reflect.ValueOf(err).Comparable():
		panic(fmt.Sprintf("errorcode: the error that is registered as %s is a %T, which == cannot compare; register a pointer", name, err))
	}
	registry.Lock()
	defer registry.Unlock()
	if _, taken := registry.byName[name]; taken {
		panic(fmt.Sprintf("errorcode: two errors are registered as %s", name))
	}
	for _, e := range registry.entries {
		if e.err == err {
			panic(fmt.Sprintf("errorcode: the error that is registered as %s has the name %s already", name, e.name))
		}
	}
	if registry.byName == nil {
		registry.byName = map[string]error{}
	}
	registry.byName[name] = err
	registry.entries = append(registry.entries, entry{name, err})
}

// isName reports whether a name may be registered.
func isName(name string) bool {
	for _, c := range []byte(name) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '_', c == '.', c == '/', c == '-':
		default:
			return false
		}
	}
	return 0 < len(name) && len(name) <= mostName
}

// registered returns the errors that are registered now.
func registered() []entry {
	registry.RLock()
	defer registry.RUnlock()
	return registry.entries
}

// named returns the error that is registered by a name, nil if there is none.
func named(name string) error {
	registry.RLock()
	defer registry.RUnlock()
	return registry.byName[name]
}

// The errors of the standard library that say something beyond the call which returned them.
func init() {
	Register("context.Canceled", context.Canceled)
	Register("context.DeadlineExceeded", context.DeadlineExceeded)
	Register("errors.ErrUnsupported", errors.ErrUnsupported)
	Register("io.EOF", io.EOF)
	Register("io.ErrUnexpectedEOF", io.ErrUnexpectedEOF)
	Register("os.ErrDeadlineExceeded", os.ErrDeadlineExceeded)
	Register("os.ErrExist", os.ErrExist)
	Register("os.ErrNotExist", os.ErrNotExist)
	Register("os.ErrPermission", os.ErrPermission)
	Register("strconv.ErrRange", strconv.ErrRange)
	Register("strconv.ErrSyntax", strconv.ErrSyntax)
}
