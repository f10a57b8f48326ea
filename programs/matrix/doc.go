// Package matrix multiplies two matrices by tasks that do not depend on each other: each computes one row or several of the product, as they are in a textbook, with
// nothing done for the cache. What should be seen is that it takes less time with more tasks, up to the number of processors, and no more with
// many more. One operation is one multiplication and the addition that goes with it.
//
//	freerun bench matrix                 with 1 to 64 tasks
//	freerun bench matrix --n 1000 --m 2
//
// The figure after the table is the speed-up: each run first computes the product without tasks, outside the clock, and compares.
//
//	variant      file            how
//	serial       serial.go       one row after another, the work itself
//	activities   activities.go   an activity for each task; it tells its quantum of each element, and yields when that is used up
//	goroutines   goroutines.go   a goroutine for each task
//
// The checksum is a weighted sum over the product, which is due from the factors alone.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an Efficient Lock-Free Scheduler, JSSPP 2015, section 6 and figure 10.
package matrix
