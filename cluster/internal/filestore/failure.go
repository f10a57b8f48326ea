//go:build !wasm

package filestore

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// ErrReadOnly says that a Put met a store that was opened with ReadOnly.
var ErrReadOnly = errors.New("the store is open for reading only")

// lost makes an error of state that is not what was stored.
func lost(format string, args ...any) error {
	return fmt.Errorf("%w: %w", engine.ErrStateLost, fmt.Errorf(format, args...))
}

// panicked is a panic of bbolt's code, or a fault of the mapped file, as an error.
type panicked struct{ err error }

func (p panicked) Error() string { return p.err.Error() }
func (p panicked) Unwrap() error { return p.err }

// guarded calls f, and makes an error of a panic and of a fault. A panic of a function of the
// caller, for which theirs is set, passes.
func guarded(theirs *bool, f func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if theirs != nil && *theirs {
			return
		}
		switch p := recover().(type) {
		case nil:
		case error:
			err = panicked{lost("using the file: %w", p)}
		default:
			err = panicked{lost("using the file: %v", p)}
		}
	}()
	return f()
}

// isPanic tells whether an error was a panic, after which bbolt's locks may be held for good.
func isPanic(err error) bool {
	var p panicked
	return errors.As(err, &p)
}

// noRoom tells whether a commit failed for want of room, and has changed nothing. Of the steps of
// bbolt's Commit two may: writing a page, and enlarging the file before. A sync that fails for want
// of room is none of them: after it the content of the disk is unknown.
func noRoom(err error) bool {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Op == "write" && saysFull(path.Err)
	}
	// bbolt gives this error as text.
	if text, ok := strings.CutPrefix(err.Error(), "file resize error: "); ok {
		for _, full := range fullErrors {
			if strings.HasSuffix(text, full.Error()) {
				return true
			}
		}
	}
	return false
}

func saysFull(err error) bool {
	for _, full := range fullErrors {
		if errors.Is(err, full) {
			return true
		}
	}
	return false
}

var fullErrors = append(fullErrorsOfSystem, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG)

// stoppedBy makes the error of a store that has stopped.
func stoppedBy(cause error) error {
	return fmt.Errorf("%w: restart the process to see what is durable: %w", engine.ErrStopped, cause)
}
