// Package beat has a word in memory that is set once each millisecond, in time, also while all
// processors of Go are busy.
//
// Code that computes for long polls pollpoint.Word, which takes one load, and does what is due when
// that is not 0. Whoever wants beats says so with [Keep], again and again; otherwise they end after
// some 100 ms, and cost nothing. Between two beats is a sleep of 1 ms, so they are a little further
// apart.
//
//	beat.Keep()
//	…
//	if n := pollpoint.Word.Load(); n != 0 && pollpoint.Word.CompareAndSwap(n, 0) {
//		// this goroutine alone has beat n
//	}
//
// Go compiles the poll to a load only in packages that import sync/atomic themselves.
//
// # Implementations
//
//	thread_asm.go, thread_*.s   a thread that is not Go's. It runs assembly alone, and needs
//	                            neither a P nor a goroutine, stack or signal handler of Go's.
//	goroutine.go                elsewhere, and where the system refuses the thread: a goroutine
//	                            that sleeps. Beside busy processors it beats when Go's scheduler
//	                            gives it a turn; on wasm, when all others wait. A Keep starts
//	                            it, so in a bubble of testing/synctest it has the bubble's time.
//
// [InTime] tells which of the two there is.
//
// # The thread
//
// All signals are blocked in the thread since before it exists, so no handler runs there, and a
// signal to the process goes to a thread of Go's. Go does not know of it: it holds no pointers, a
// collection does not stop it, and no profile has it. A debugger shows a thread without a
// goroutine. It ends with the process, and is not in the processes that this one starts.
//
// A system call that is to be made in every thread (syscall.AllThreadsSyscall, syscall.Setuid) is
// not made in this one. So a process that gives up privileges should do so before the first Keep;
// otherwise it has a thread that keeps them, and does nothing but write the word.
package beat
