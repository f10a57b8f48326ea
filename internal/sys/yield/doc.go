// Package yield lets other goroutines run, without more ado than needed.
//
// runtime.Gosched puts the goroutine into the queue of all Ps and wakes an idle P for it, which takes it away, more often than not:
// some µs, another core, and cold caches, for a goroutine that only meant to be polite. [Local] puts it at the end of its own P's
// queue and wakes nobody. Beside an idle P, on a machine with two, a goroutine that works for 45 µs between two calls pays 9.2 to 9.7 µs for one of Gosched, and 0.4
// to 0.6 for one of Local; so what Go may take away is worth having here, and the portable build does without.
//
//	yield_runtime.go    runtime.goyield, by go:linkname (the runtime names it as one of those that packages may rely on)
//	yield_portable.go   runtime.Gosched, for builds with the tag freerun_portable and for other compilers
package yield
