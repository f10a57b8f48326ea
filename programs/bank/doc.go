// Package bank transfers money between the accounts of a bank. A transfer is an operation on two
// things at once: it must not be done in halves, and transfers must not deadlock, whatever the
// order of their accounts. One operation is one transfer.
//
// The parameter "accounts" sets the contention: with 8, most transfers share an account with
// another one under way; with 1,000, few do. "work" is how many ns of further work a transfer does,
// with both accounts held. With 0, a transfer is two additions, the best case for a lock.
//
// A run checks that no money appeared or was lost, that no account is overdrawn, and that as many
// transfers left accounts, and came to accounts, as were to be made.
//
//	variant   file       how
//	units     units.go   a client is a unit; it sends 16 operations, and awaits the last
//	mutex     mutex.go   a client is a goroutine; it locks both accounts, the lower number first
package bank
