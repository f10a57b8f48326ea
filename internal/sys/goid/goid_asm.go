//go:build gc && (amd64 || arm64) && !freerun_portable && !go1.27

package goid

// Way says how ID finds out, for people.
const Way = "assembly: where the machine keeps the running goroutine"

// ID returns the identity of the running goroutine: never 0, the same for as long as the goroutine lives, and different
// from that of every other goroutine alive at the same time. Any goroutine may call it; it never waits or allocates.
//
// The g is allocated outside the stack and is never moved, which is why growing the stack, a collection, or a change of
// thread leave the identity as it is. The collector does not see the result as a pointer, so keeping one keeps nothing
// alive.
func ID() uintptr
