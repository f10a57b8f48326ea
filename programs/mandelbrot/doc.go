// Package mandelbrot computes the Mandelbrot set. The plane is divided into parts of some rows
// each, and each part is a task. One operation is one point. The parts are very unequal: points in
// the set take the full number of iterations, others a few.
//
// The paper has a plane of C = 2000 points, N = 100 parts and K = 5000 iterations, and reports 4.1
// to 5.3 s on 64 processors of 2.5 GHz. 2000 points of at most 5000 iterations would be 10 million
// iterations, 0.1 s on one such processor. So C is taken as the side of the plane: 4 million points
// with 3.4 billion iterations. The longest part has 0.1 billion. There are more parts than
// processors, so the last parts begin late; a compiler that does not optimize then takes seconds,
// as in the paper.
//
//	variant      file            how
//	activities   activities.go   an activity for each part; each point counts against its quantum
//	goroutines   goroutines.go   a goroutine for each part
//
// The checksum is the number of points and of iterations, and which point took how many. due.go
// computes the expected one, faster.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an
// Efficient Lock-Free Scheduler, JSSPP 2015, sections 5 and 6, table 1.
package mandelbrot
