//go:build explore

package atomics

import "github.com/freerun-go/freerun/internal/verify/memory"

// ReleaseWay is a text for reports: how this build stores a Release word.
const ReleaseWay = "the explorer's model"

// With the build tag explore the names stand for words that a scheduler watches:
// internal/verify/memory.
type (
	Bool    = memory.Bool
	Int32   = memory.Integer[int32]
	Int64   = memory.Integer[int64]
	Uint32  = memory.Integer[uint32]
	Uint64  = memory.Integer[uint64]
	Uintptr = memory.Integer[uintptr]

	Pointer[T any] = memory.Pointer[T]
	Plain[T any]   = memory.Plain[T]

	RelaxedPointer[T any] = memory.RelaxedPointer[T]
	RelaxedIndex          = memory.RelaxedIndex

	Release[T uint32 | uint64] = memory.Release[T]
)
