package cluster

import "github.com/freerun-go/freerun"

// What a node does beside its units: after a while, with SendAfter, or what waits for the store.

// later calls a function after a while.
var later = freerun.FreeOp("later", func(_ *freerun.Context, fn func()) (struct{}, error) {
	fn()
	return struct{}{}, nil
})

// blocks calls a function that waits.
var blocks = freerun.FreeOp("blocks", func(c *freerun.Context, fn func()) (struct{}, error) {
	c.Block(fn)
	return struct{}{}, nil
})
