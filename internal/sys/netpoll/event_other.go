//go:build unix && !linux && !freerun_portable && !go1.27

package netpoll

import (
	"errors"
	"os"
)

var one [8]byte

// openEvent fails: other systems than Linux have pipes only.
func openEvent() (*os.File, error) { return nil, errors.ErrUnsupported }
