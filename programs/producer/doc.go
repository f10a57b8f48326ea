// Package producer has pairs of a producer and a consumer. All pairs use one bounded buffer:
// consumers wait while it is empty, producers while it is full. One operation is one message from a
// producer to a consumer. The paper has 1 and 64 pairs, and the same number of messages in total.
//
//	variant      file            how
//	activities   activities.go   an activity for each; the buffer is an activity.Mailbox
//	goroutines   goroutines.go   a goroutine for each; the buffer is a buffered channel
//
// The checksum is the number of messages consumed, their sum, and the sum of their squares.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an
// Efficient Lock-Free Scheduler, JSSPP 2015, sections 5 and 6, table 1.
package producer
