//go:build explore

package atomics

import "github.com/freerun-go/freerun/internal/model"

// ReleaseWay says how a Release word is stored, for people.
const ReleaseWay = "the explorer's model"

// In builds with the tag explore the names stand for words that a scheduler watches: see internal/model.
type (
	Bool    = model.Bool
	Int32   = model.Integer[int32]
	Int64   = model.Integer[int64]
	Uint32  = model.Integer[uint32]
	Uint64  = model.Integer[uint64]
	Uintptr = model.Integer[uintptr]

	Pointer[T any] = model.Pointer[T]
	Plain[T any]   = model.Plain[T]

	RelaxedPointer[T any] = model.RelaxedPointer[T]
	RelaxedIndex          = model.RelaxedIndex

	Release[T uint32 | uint64] = model.Release[T]
)
