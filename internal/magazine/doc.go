// Package magazine keeps messages for reuse, and says when senders should wait because too many of
// them exist.
//
// Messages without a future are used again, so that a sender allocates nothing in steady state.
// They travel in a circle, between magazine and depot in batches:
//
//	run ─→ magazine of the processor that ran it ─→ depot of the operation
//	    ─→ magazine of the sender ─→ next send
//
// A [Magazine] belongs to one owner, and needs no atomics. A [Depot] is shared by all owners. A
// [Mark] counts how many messages exist. The package knows neither messages nor operations: it
// lists the node that a message begins with.
//
// Source: J. Bonwick and J. Adams, Magazines and Vmem, USENIX 2001.
//
// Package offheap has magazines and depots of its own, and the two do not share a generic one. A
// batch of messages is a list through the messages themselves, and exchanging it is exchanging one
// pointer; only the owner looks into it. A magazine of memory blocks is an array of hints
// that any goroutine may read and take from while it has an owner. So its entries are atomic words,
// it is registered for good, and it has a word for its owner: a message would pay for all three.
// They have only the loop over the slots of a depot in common, and each begins the loop at a
// different slot.
package magazine
