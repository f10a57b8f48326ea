// Package promise has the word that a future refers to, and what may happen to it.
//
// A [Cell] is open, with a list of the nodes that wait for it, until it is sealed: as filled, with
// a value or a [Failure]; as abandoned; or as circular. The seal is for good. Its second word, the
// edge, says what the cell itself waits for. Along the edges [Cell.ClosesCycle] finds a cell that
// waits for itself. Until the message of a cell has begun, the edge also decides whether the
// message is run or revoked: [Cell.Claim], [Cell.Revoke], [Start].
//
// The package knows neither messages nor workers. A waiter is a node of internal/mailbox. The
// goroutine that seals a cell gets the list of the nodes that waited, and wakes them itself. The
// value, too, is the user's: it is written before the seal, and read after it.
package promise
