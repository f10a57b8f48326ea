// Package matrix multiplies two matrices by independent tasks: each computes one row or several of
// the product, by the textbook's loops without regard to the cache. More tasks should take less
// time up to the number of processors, and no more time beyond. One operation is one multiplication
// and its addition.
//
//	freerun bench matrix                 with 1 to 64 tasks
//	freerun bench matrix --n 1000 --m 2
//
// The figure after the table is the speed-up: a run first computes the product without tasks,
// outside the clock, and compares.
//
//	variant      file            how
//	serial       serial.go       one row after another, the work itself
//	activities   activities.go   an activity for each task; elements count against its quantum
//	goroutines   goroutines.go   a goroutine for each task
//
// The checksum is a weighted sum over the product. The expected one follows from the factors alone.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an
// Efficient Lock-Free Scheduler, JSSPP 2015, section 6 and figure 10.
package matrix
