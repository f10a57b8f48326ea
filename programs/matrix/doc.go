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
//	variant               file            how
//	serial                serial.go       one row after another, the work itself
//	activities            activities.go   an activity for each task, with a quantum
//	activities-unbroken   activities.go   the same with a quantum that never ends
//	activities-tiled      tiled.go        an activity for each task, which works tile by tile
//	goroutines            goroutines.go   a goroutine for each task
//	goroutines-tiled      tiled.go        a goroutine for each task, which works tile by tile
//
// Alike: the matrices, the rows of each task, and the function that computes an element, or in the
// tiled variants adds a part of a row. Compare activities-unbroken with goroutines, and
// activities-tiled with goroutines-tiled.
//
// Not alike: with a quantum, an activity lets others run after 40 elements of matrices of 500 rows.
// The next one needs the same columns, which may still be in the cache: taking turns can block the
// loops for the cache by accident, and is then no merit of the switch. With tiles it does harm, as
// others come between the rows that share a tile.
//
// The checksum is a weighted sum over the product. The expected one follows from the factors alone.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an
// Efficient Lock-Free Scheduler, JSSPP 2015, section 6 and figure 10.
package matrix
