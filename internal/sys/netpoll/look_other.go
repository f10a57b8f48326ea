//go:build unix && !linux && !freerun_portable && !go1.27

package netpoll

// nothingWaits reports whether a poll would find nothing. It cannot tell.
func nothingWaits() bool { return false }
