//go:build explore

package freerun

// shareBits is such that all audiences are in one share: the explorer's executions repeat, and addresses do not.
const shareBits = 0
