// Package news simulates a broadcasting agency: reporters publish messages, and each is read by all customers, at the same time as far as there are processors. The agency has one
// message at a time: a reporter publishes the next when everybody has read the one before, and customers wait for it. So each message wakes all customers, and the
// last of them to read it wakes a reporter. One operation is one message read by one customer.
//
//	variant      file            how
//	activities   activities.go   an activity for each reporter and customer; an activity.Event announces a message, an activity.Latch that all have read it
//	units        units.go        a unit for each customer, and one for the agency, which tells each customer and is told by each
//	goroutines   goroutines.go   a goroutine for each reporter and customer; channels are closed instead
//
// The checksum is what the customers have read; all must have read the same in the same order.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an Efficient Lock-Free Scheduler, JSSPP 2015, sections 5 and 6, table 1.
package news
