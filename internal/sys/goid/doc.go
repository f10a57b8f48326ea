// Package goid tells goroutines apart.
//
// It answers one question: is the goroutine that runs now the same as the one that ran then? A send
// through an operation's context takes the fast path only if the goroutine that runs the operation
// makes it. Every other goroutine takes the path from outside. Go offers no such identity. A
// context cannot carry it either: any goroutine may hold the context.
//
// # Two implementations
//
//	goid_asm.go, goid_amd64.s, goid_arm64.s   the address of the runtime's g
//	goid_portable.go                          the number that runtime.Stack prints
//
// The second one is for every other architecture and for builds with the tag freerun_portable. It
// is some hundred times slower and relies on the first line of a stack trace only.
//
// # What an identity is good for
//
// It may be compared with another identity, and nothing else; but what knows how Go lays a g out,
// and is built where G is, may look there: package coroswitch. It may be kept, but says nothing
// about a goroutine that has ended: the runtime reuses its g for a later one. So code that stores
// an identity must clear it before the goroutine ends. A coroutine made by iter.Pull is a goroutine
// of its own and has an identity of its own.
package goid
