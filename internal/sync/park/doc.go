// Package park lets a goroutine sleep until another one wakes it. It is what the waiting calls of freerun's containers and locks
// end in, and it uses channels alone, so that a goroutine that is parked counts as durably blocked in a testing/synctest bubble.
//
// In builds with the tag explore, model threads park in the model: a thread that nobody wakes is found, as a deadlock.
package park
