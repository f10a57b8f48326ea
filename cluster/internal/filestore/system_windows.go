package filestore

import (
	"errors"
	"syscall"
)

// fullErrorsOfSystem are ERROR_DISK_FULL and ERROR_HANDLE_DISK_FULL.
var fullErrorsOfSystem = []error{syscall.Errno(112), syscall.Errno(39)}

// isReadOnlyFileSystem knows ERROR_WRITE_PROTECT.
func isReadOnlyFileSystem(err error) bool { return errors.Is(err, syscall.Errno(19)) }
