// Package fib is the tree-recursive Fibonacci program of the first paper (Quirk, 2008, section 9):
// every call makes two recursive calls and adds their results. As a way to compute the sequence it
// is absurd. As a test of messages and futures it is hard, because it does next to nothing else.
//
// The parameter "work" counts to a number at every call and at every addition, as in the paper, so
// that the share of the synchronization shows.
//
//	figure 4   speedup over one processor: run with --processors 1,2,… and divide
//	figure 5   CPU time lost to synchronization: the total CPU time less that of one processor
//	figure 6   CPU waste: the total CPU time divided by that of one processor
//
// One operation is one call of fib: fib(30) makes 2,692,537.
//
//	variant         file            how
//	serial          serial.go       plain recursion, the work itself
//	join            join.go         one branch forked, one called, then joined: freerun.ForkFunc
//	join-closures   join.go         the same with freerun.Join and closures
//	futures         futures.go      two operations fib, and one operation plus that waits for both
//	goroutines      goroutines.go   one branch in a goroutine, with a channel; one inline
package fib
