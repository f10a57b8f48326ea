// Package yield lets other goroutines run at the least cost.
//
// runtime.Gosched puts the goroutine into the queue of all Ps and wakes an idle P, which mostly
// takes the goroutine away: the yield costs some microseconds, and the goroutine goes on at another
// core with cold caches. [Local] puts it at the end of its own P's queue and wakes no P. On a
// machine with two Ps, one of them idle, a goroutine that works for 45 µs between two calls pays
// 9.2 to 9.7 µs for a Gosched and 0.4 to 0.6 for a Local. So Local is worth its dependence on a
// function that a later Go may remove; the portable build does without.
//
//	yield_runtime.go    runtime.goyield, by go:linkname (the runtime lists it for such use)
//	yield_portable.go   runtime.Gosched: the build tag freerun_portable, and other compilers
package yield
