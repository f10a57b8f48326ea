// Package mailbox has the intrusive lists that freerun is built on: [Queue], the mailbox of a unit,
// which appoints its own consumer; [Inbox], to which any goroutine adds and from which everything
// is taken at once; and [Chain], a list for one goroutine.
//
// All three link a [Node] that is embedded in each element, so they allocate nothing. A node is in
// one list at a time. The package knows neither the runtime nor the scheduler.
package mailbox
