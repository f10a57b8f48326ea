// Package deque holds double-ended queues for work stealing: one owner pushes and pops at one end, last in first out;
// any number of thieves take from the other end, first in first out. Roles are types: the owner keeps the deque, a thief
// gets a handle, which can only steal.
//
//	           holds         bound     owner                thief            progress
//	Growable   pointers      none      Push, TryPush, Pop   Steal            lock-free (owner wait-free but for growth)
//	Bounded    pointers      fixed     TryPush, Pop         Steal            lock-free (owner wait-free)
//	Hybrid     any values    none      Push, TryPush, Pop   Steal, TrySteal  the owner may wait for a thief: at the last value, and to grow
//
// # Which one to choose
//
//   - Growable, if in doubt. Nobody waits for anybody, and it takes whatever comes. It is the deque of Chase and Lev, and what
//     freerun's scheduler runs on.
//   - Bounded, if memory is to be fixed, or "full" is an answer that the owner can use: it does the work itself, instead of queueing
//     it. It never allocates. It is the deque of Arora, Blumofe and Plaxton.
//   - Hybrid, for values that would have to be allocated for the sake of a pointer, if stealing is rare and it is no harm that a thief
//     that is not run holds up the owner. Its owner is the fastest at the last value, its thieves are the slowest. It is the
//     deque of Duffy.
//   - A slice and a mutex, if there is no owner: who pushes and pops must be one goroutine at a time. The package queue has what
//     many may put into.
//
// Nanoseconds for a value that goes in and out again, in one goroutine, on a machine whose atomic store takes 6.7 (BenchmarkPushPop
// and BenchmarkPushSteal, one run):
//
//	                  pushed and popped   the last one   pushed and stolen
//	Growable                         15             20                  17
//	Bounded                          15             20                  17
//	Hybrid                           14             14                  60
//	slice and mutex                  29             29                  39
//
// A Steal has three outcomes. [Retry] is what distinguishes it from the calls of a queue: it says that somebody else was faster, so
// that a thief may try again, or elsewhere, and only [Empty] says that there was nothing.
//
// The deques of pointers drop their reference to a value when it is popped, and with the owner's next Pop when it was stolen.
package deque
