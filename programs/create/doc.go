// Package create has one task create others, which do nothing but end, and wait for their end: what does it cost to create a task, to run it and to be rid of it? They
// come in batches, and a batch is created before its end is waited for; with the parameter "batch" at 1 each one is waited for, with 10,000,000, as
// many as the paper has, the program shows what becomes of so many at a time. One operation is one task.
//
//	freerun bench create                 batches of 1, 1000 and 1,000,000
//	freerun bench create --n 10000000    one batch of so many
//
// The figures after the table are about memory: what the process has obtained from the system until the end, and what one task takes that has been created and has not run.
//
//	variant      file            how
//	activities   activities.go   an activity creates activities, and waits for an event
//	goroutines   goroutines.go   a go statement for each; the last one sends on a channel
//
// The checksum is how many tasks have ended.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an Efficient Lock-Free Scheduler, JSSPP 2015, section 6 and figure 7.
package create
