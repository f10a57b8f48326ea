// Package goid tells goroutines apart.
//
// It exists for one question: is the goroutine that is running now the one that was running then? A send through an
// operation's context takes the fast path only if it is made by the goroutine which runs that operation; every other
// goroutine must take the path from outside. Go offers no such identity, and passing one through every call is what a
// context already fails to do.
//
// # Two implementations
//
//	goid_asm.go, goid_amd64.s, goid_arm64.s   the address of the runtime's g, read from where the machine keeps it
//	goid_portable.go                          the number which runtime.Stack prints
//
// The second is for every other architecture and for builds with the tag freerun_portable. It is some hundred times
// slower and relies on no more than the first line of a stack trace.
//
// # What an identity is good for
//
// It may be compared with another identity, and nothing else. It may be kept, but says nothing about a goroutine that
// has ended: the runtime reuses its g for a later one. So whoever stores an identity must clear it before its goroutine
// can end. A coroutine made by iter.Pull is a goroutine of its own and has its own identity.
package goid
