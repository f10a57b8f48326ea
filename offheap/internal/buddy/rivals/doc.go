// Package rivals has the designs that the buddy system is measured against.
package rivals

import (
	"sync/atomic"

	"github.com/freerun-go/freerun/internal/pad"
	"github.com/freerun-go/freerun/internal/pin"
)

// cursor is where a processor goes on.
type cursor struct {
	_  pad.Line
	at [64]atomic.Uint64
	_  pad.Line
}

type cursors [16]cursor

// mine returns the cursors of this processor, and its number.
func (c *cursors) mine() (*cursor, int) {
	p := pin.Pin()
	pin.Unpin()
	p %= len(c)
	return &c[p], p
}

// number returns the number of this processor.
func number() int {
	p := pin.Pin()
	pin.Unpin()
	return p % 16
}
