// Package timerwheel has the parts of a timing wheel that know no runtime: [Entry], the state of a
// timer; [Slots], the timers roughly in the order in which they are due; and [List], the timers of
// a scope, through which a canceler goes.
//
// Slots belong to one goroutine at a time, which their user appoints. A List is lock-free.
package timerwheel
