// Package threadlock tells whether a goroutine is locked to its thread: by [runtime.LockOSThread], or as it runs a callback from C.
//
// A goroutine that is locked must not be switched as a coroutine: Go ends the program ("coro: OS thread locking must match locking at coroutine creation").
// Go has no function that tells. Two places know:
//
//	the header of a stack trace    `goroutine 7 [running, locked to thread]:`; reading it takes a microsecond
//	a word of the runtime's g      the thread, or 0; reading it takes a load
//
// Where in the g that word is differs from version to version of Go, so the package looks for it, once, at the first call of [Mine]: the word that is 0 before
// LockOSThread, the same as another word of the g (the thread that runs it) from there to the last UnlockOSThread, and 0 again; on three
// goroutines. Exactly one word must be such, and the header must agree, or the header is what is read.
//
// If Go changes both, a locked goroutine looks like any other; TestHeader and TestWord find that.
package threadlock
