// Package switching is the program "switch" (a word that no package can be called by): tasks that do nothing but let others run, again and again. One operation is one
// switch. A task that is alone has nobody to switch to, so with one task it is what finding that out costs.
//
//	variant      file            how
//	activities   activities.go   Activity.Yield
//	goroutines   goroutines.go   runtime.Gosched
//
// The checksum is how often tasks have let others run. The figure after the table is when the first of them was done: if all take turns, that is near the end.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an Efficient Lock-Free Scheduler, JSSPP 2015, section 6 and figure 8.
package switching
