//go:build !explore

package freerun

// shareBits is the binary logarithm of the number of shares in the table of audiences.
const shareBits = 5
