//go:build !explore

package linear

import "sync/atomic"

// clock counts the calls that have ended.
type clock struct{ ended atomic.Int64 }

// now returns the number of calls that have ended.
func (c *clock) now() int64 { return c.ended.Load() }

// tick counts one more call and returns the new number.
func (c *clock) tick() int64 { return c.ended.Add(1) }

// unseen returns false: only in the explorer can a thread have stores that others do not see yet.
func unseen() bool { return false }
