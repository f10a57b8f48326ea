// Package locks is a program in which goroutines contend for one lock: the queue locks of package lock beside sync.Mutex, in time and in
// fairness. Who has the lock counts, for himself and for all; the program ends when all have counted so far together.
//
// Source: A. Filatov, Lecture 13: concurrent queues, the part about queues for mutual exclusion.
package locks
