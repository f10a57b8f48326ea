// Package park lets a goroutine sleep until another one wakes it. The waiting calls of freerun's
// containers and locks end here. It uses channels alone, so a parked goroutine counts as durably
// blocked in a testing/synctest bubble.
//
// With the build tag explore model threads park in the model. A thread that no other thread wakes
// shows as a deadlock.
package park
