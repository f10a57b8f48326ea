//go:build !windows && !wasm

package filestore

import (
	"errors"
	"syscall"
)

// fullErrorsOfSystem has none beside those of package syscall on all systems.
var fullErrorsOfSystem []error

func isReadOnlyFileSystem(err error) bool { return errors.Is(err, syscall.EROFS) }
