// Package blockhook tells package activity when a goroutine is about to block: in a channel
// operation, in a lock of package sync, in time.Sleep, in the network. Only programs that
// `freerun build` has compiled tell that: it puts functions of its own before those of Go's runtime
// that block. In others nothing is told.
package blockhook

// Answer says what a goroutine that is about to block is to do.
type Answer = int32

const (
	// Block: it blocks, as every goroutine does.
	Block Answer = iota
	// Return: it blocks, and then calls the second function of [Install].
	Return
	// Turn: it does not block, but calls the third function again and again until it need not.
	Turn
)
