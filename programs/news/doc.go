// Package news simulates a broadcasting agency. Reporters publish messages, and all customers read
// each of them, at the same time as far as there are processors. The agency has one message at a
// time: a reporter publishes the next after all customers have read the one before, and customers
// wait for it. So each message wakes all customers, and the last reader wakes a reporter. One
// operation is one message read by one customer.
//
//	variant      file            how
//	activities   activities.go   an activity each; activity.Event and activity.Latch between them
//	units        units.go        a unit for the agency and each customer, which tell each other
//	goroutines   goroutines.go   a goroutine each; channels are closed instead
//
// The checksum covers the messages that the customers have read; all must have read the same in the
// same order.
//
// Source: F. Negele, F. Friedrich, S. Oh, B. Egger, On the Design and Implementation of an
// Efficient Lock-Free Scheduler, JSSPP 2015, sections 5 and 6, table 1.
package news
