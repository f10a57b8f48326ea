// Package bank transfers money between the accounts of a bank. A transfer is an operation on two
// things at once: it must not be done in halves, and transfers must not deadlock, whatever the
// order of their accounts. One operation is one transfer.
//
// The parameter "accounts" sets the contention: with 8, most transfers meet another one; with
// 1,000, few do. "work" is the time that a transfer takes besides, with both accounts held. With 0,
// a transfer is two additions, the best case for a lock.
//
// A run checks that no money appeared or was lost, and that each account saw as many transfers as
// were made with it.
//
//	variant   file       how
//	units     units.go   a client is a unit; it sends operations on both accounts, 16 ahead
//	mutex     mutex.go   a client is a goroutine; it locks both accounts, the lower number first
package bank
