//go:build !unix || freerun_portable || go1.27

package netpoll

import (
	"errors"
	"time"
)

// Poller has no values in this build: New fails.
type Poller struct{}

// New fails.
func New() (*Poller, error) { return nil, errors.ErrUnsupported }

// Poll is never called: there is no poller.
func (*Poller) Poll(time.Duration) bool { return false }

// Futile is never called: there is no poller.
func (*Poller) Futile() bool { return false }

// Close is never called: there is no poller.
func (*Poller) Close() {}
