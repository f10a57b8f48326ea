// Package threadlock tells whether a goroutine is locked to its thread: by [runtime.LockOSThread],
// or because it runs a callback from C.
//
// A locked goroutine must not be switched as a coroutine: Go then ends the program ("coro: OS
// thread locking must match locking at coroutine creation"). Go has no function that tells whether
// a goroutine is locked. Two places show it:
//
//	the header of a stack trace    `goroutine 7 [running, locked to thread]:`, read in a microsecond
//	a word of the runtime's g      the thread, or 0, read by a load
//
// The place of that word differs between versions of Go. So the package looks for it once, at the
// first call of [Mine]: a word that is 0 before LockOSThread, equal to another word of the g (the
// thread that runs it) until the last UnlockOSThread, and 0 again; on three goroutines. Exactly one
// word must do so, and the header must agree. Otherwise the header is read.
//
// If a version of Go changes both, a locked goroutine is not recognised; TestHeader and TestWord
// fail then.
package threadlock
