//go:build explore

package freerun

// shareBits puts all audiences into one share: executions of the explorer repeat, addresses do not.
const shareBits = 0
