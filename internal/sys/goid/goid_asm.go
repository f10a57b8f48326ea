//go:build gc && (amd64 || arm64) && !freerun_portable && !go1.27

package goid

// Way is a text for reports: how this build finds the identity.
const Way = "assembly: where the machine keeps the running goroutine"

// WalksStack reports whether ID takes longer on a deep stack than on a short one.
const WalksStack = false

// ID returns the identity of the running goroutine: never 0, the same as long as the goroutine
// lives, and different from that of every other goroutine alive at the same time. Any goroutine may
// call it; it never waits or allocates.
//
// The runtime allocates the g outside the stack and never moves it. So a growing stack, a
// collection, or a change of thread leaves the identity as it is. The collector does not see the
// result as a pointer, so keeping one keeps nothing alive.
func ID() uintptr
