//go:build !explore

package freerun

// shareBits says how many shares the table of audiences has.
const shareBits = 5
