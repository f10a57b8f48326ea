//go:build !explore

package linear

import "sync/atomic"

// clock counts the calls that have ended.
type clock struct{ ended atomic.Int64 }

// now returns how many have.
func (c *clock) now() int64 { return c.ended.Load() }

// tick counts one more.
func (c *clock) tick() int64 { return c.ended.Add(1) }

// unseen reports whether there are stores that others do not see yet, which matters in the explorer
// alone.
func unseen() bool { return false }
