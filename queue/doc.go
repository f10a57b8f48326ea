// Package queue has lock-free queues.
//
//	type      producers  consumers             order                     for
//	Mailbox   any        one, which it names   first in first out        the mailbox of something that one runs at a time
//	Owner     any        one, which it names   first in first out (*)    the same, as the paper has it, for values
//	Inbox     any        any, all at once      first in first out        handing over what many bring
//	Chain     one        the same one          first in first out        a plain list of nodes, for one goroutine
//
// Mailbox, Inbox and Chain are intrusive: they link a [Node] that is embedded in what is listed, and allocate nothing. (*) An item
// may be counted later than another that was linked behind it; see [Owner].
//
// A queue that names its consumer tells one of the producers, by the answer to its Enqueue, that it is the owner now. So
// who enqueues into an idle mailbox gets it served, and nobody else need care: L. Quirk, Ownership of a queue for practical
// lock-free scheduling, 2008.
package queue
