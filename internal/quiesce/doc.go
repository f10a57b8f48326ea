// Package quiesce tells when no message of a group is open any more.
//
// A [Counter] counts the open messages of a group and the groups below it. A [Credit] saves a
// processor most of the atomic additions. [Waiters] are the goroutines that wait for the next zero
// of a counter. The package knows neither messages nor scopes: its user counts a message before
// others can see it, and takes it back after its outcome is known.
package quiesce
