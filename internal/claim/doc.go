// Package claim has the word by which processors agree on who runs an object that has several
// mailboxes.
//
// Each mailbox appoints its own owner, so several processors may come to one object at the same
// time. A [Word] makes one of them the holder. The others leave their mailboxes to the holder, by a
// bit in the word, and go away: no processor waits. The package knows neither mailboxes nor units:
// a mailbox is a number below 31 for it.
package claim
