// Package bank transfers money between the accounts of a bank: operations on two things at once, that must not be done in halves, and
// must not deadlock whatever the order of the two. One operation is one transfer.
//
// The parameter "accounts" says how much is contended for: with 8, most transfers meet another one; with 1,000, few do. "work" is how long
// a transfer takes besides, with both accounts held; with 0 there is nothing but two additions, which a lock is cheapest for.
//
// A run checks that no money came into being or was lost, and that each account saw as many transfers as were made with it.
//
//	variant   file       how
//	units     units.go   each client is a unit that sends an operation on both accounts, and is at most 16 of its transfers ahead
//	mutex     mutex.go   each client is a goroutine that locks both accounts, the one with the lower number first
package bank
