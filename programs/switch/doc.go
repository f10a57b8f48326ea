// Package switching is the program "switch" (a word that cannot name a package): tasks that only
// let others run, again and again. One operation is one switch. With one task it measures the cost
// of finding no other task.
//
//	variant      file            how
//	activities   activities.go   Activity.Yield
//	goroutines   goroutines.go   runtime.Gosched
//
// The checksum is how often tasks have let others run. The figure after the table is when the first
// task was done: near the end, if all take turns.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an
// Efficient Lock-Free Scheduler, JSSPP 2015, section 6 and figure 8.
package switching
