// Package mailbox has the intrusive lists that the runtime is made of: [Queue], the mailbox of a unit; [Inbox], in which a
// scheduler and a timer wheel receive; [Chain], a list for one goroutine. They link a [Node] that is embedded in what is
// listed, and allocate nothing. The package knows neither runtime nor scheduler.
package mailbox
