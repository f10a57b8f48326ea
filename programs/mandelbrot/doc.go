// Package mandelbrot computes the Mandelbrot set. The plane is divided into parts of some rows each, and each part is a task. One operation is one point. The parts are very
// unequal: where the set is, a point takes all the iterations that it may, elsewhere a few.
//
// The paper has a plane of C = 2000 points, N = 100 parts and K = 5000 iterations, which take 4.1 to 5.3 s on 64 processors of 2.5 GHz. 2000 points of at most 5000 iterations
// would be 10 million iterations: 0.1 s on one of them. So C is taken for the side of the plane. The 4 million points are 3.4 billion iterations then; the part that takes
// longest has 0.1 billion, and as there are more parts than processors, the last of them begin late: with a compiler that does not optimize, seconds, as in the paper.
//
//	variant      file            how
//	activities   activities.go   an activity for each part; it tells its quantum of each point, and yields when that is used up
//	goroutines   goroutines.go   a goroutine for each part
//
// The checksum is how many points and iterations there were, and which point took how many; what is due is computed in due.go, faster.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an Efficient Lock-Free Scheduler, JSSPP 2015, sections 5 and 6, table 1.
package mandelbrot
