// Package create has one task create others, which end at once, and wait for their end: what does
// it cost to create a task, to run it and to end it? Tasks come in batches; a whole batch is
// created before its end is waited for. With the parameter "batch" at 1, each task is waited for.
// With 10,000,000, the paper's number, the program shows the cost of so many tasks at a time. One
// operation is one task.
//
//	freerun bench create                 batches of 1, 1000 and 1,000,000
//	freerun bench create --n 10000000    one batch of so many
//
// The figures after the table are about memory: what the process obtained from the system until the
// end, and what a task takes that was created and has not run.
//
//	variant      file            how
//	activities   activities.go   an activity creates activities, and waits for an event
//	goroutines   goroutines.go   a go statement for each; the last one sends on a channel
//
// The checksum is the number of tasks that ended.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an
// Efficient Lock-Free Scheduler, JSSPP 2015, section 6 and figure 7.
package create
