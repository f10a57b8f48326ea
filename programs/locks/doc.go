// Package locks has goroutines contend for one lock: the queue locks of package lock beside
// sync.Mutex, in time and in fairness. The holder of the lock adds one to the common count; after
// it has unlocked, it adds one to its own. The program ends when the common count reaches the size.
//
// Source: A. Filatov, Lecture 13: concurrent queues, the part about queues for mutual exclusion.
package locks
