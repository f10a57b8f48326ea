// Package scan finds the futures in a value: those in its fields, and those behind its pointers,
// slices, maps and interfaces.
//
// A [Plan] says where the values of one type hold futures, and is made once for each type. The
// package knows neither futures nor promises. It takes for a future each struct that points to a
// target, that is, to a struct with a field of type [Target]. It finds the pointers to targets.
//
// It leaves values alone that a program guards: structs with a field of type [Opaque], structs with
// synchronization of their own, and contexts.
//
// Target and Opaque are fields, not methods. A type that a program declares with the structure of a
// future has the future's fields, not its methods. And a method of a public type would be the
// program's to call.
package scan

// Target marks a struct, as one of its fields, as what futures point to. Put it first: a field
// without size costs nothing there, but is padded at the end of a struct.
type Target struct{}

// Opaque marks a struct, as one of its fields, as one that holds no futures. Put it first, as
// [Target].
type Opaque struct{}
