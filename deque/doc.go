// Package deque holds double-ended queues for work stealing.
//
// One goroutine at a time, the owner, pushes and pops at one end, last in first out. Any number of
// thieves take from the other end, first in first out. Roles are types: the owner keeps the deque,
// and a thief gets a handle, which can only steal.
//
//	           holds        bound   owner               thief            progress
//	Growable   pointers     none    Push, Pop           Steal            lock-free; the owner is
//	                                                                     wait-free but for growth
//	Bounded    pointers     fixed   TryPush, Pop        Steal            lock-free; the owner is
//	                                                                     wait-free
//	Hybrid     any values   none    Push, TryPush, Pop  Steal, TrySteal  the owner may wait for a
//	                                                                     thief: at the last value,
//	                                                                     and to grow
//
// # Which one to choose
//
//   - Growable, if in doubt. No call waits for another, and a Push always succeeds. It is the deque
//     of Chase and Lev, and freerun's scheduler runs on it.
//   - Bounded, if memory is to be fixed, or if the owner can use the answer "full": it does the
//     work itself instead of queueing it. It never allocates. It is the deque of Arora, Blumofe and
//     Plaxton.
//   - Hybrid, to study Duffy's deque. It holds values that would have to be allocated for the sake
//     of a pointer. Its owner is the fastest at the last value, and its thieves are the slowest. A
//     thief that is not scheduled may hold up the owner.
//   - A slice and a mutex, if there is no owner. The package queue has containers for many
//     producers.
//
// Nanoseconds for a value that goes in and out again, in one goroutine, on a machine whose atomic
// store takes 6.7 (BenchmarkPushPop and BenchmarkPushSteal, one run):
//
//	                  pushed and popped   the last one   pushed and stolen
//	Growable                         15             20                  17
//	Bounded                          15             20                  17
//	Hybrid                           14             14                  60
//	slice and mutex                  29             29                  39
//
// A Steal has three outcomes. [Stolen] comes with a value. [Empty] says that there was no value.
// [Retry] says that another call won the race for the value, or holds the lock of a Hybrid: the
// thief may try again, or elsewhere.
//
// The deques of pointers drop their reference to a popped value at once, and to a stolen value with
// the owner's next Pop.
package deque
