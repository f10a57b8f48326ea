package hazard

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// word is a hazard word: the address of a node. Only the holder of the record writes it.
type word[N any] struct{ v atomics.Release[uint64] }

// set makes the word name x, visibly at the latest with the caller's next read-modify-write. It
// costs a sixth of setNow.
func (w *word[N]) set(x *N) { w.v.Store(addressOf(x)) }

// setNow makes the word name x, visibly before anything that the caller reads afterwards.
func (w *word[N]) setNow(x *N) { w.v.Swap(addressOf(x)) }

// address returns the address of the node that the word names.
func (w *word[N]) address() uint64 { return w.v.Load() }

// names reports whether the word names x.
func (w *word[N]) names(x *N) bool { return w.address() == addressOf(x) }

// addressOf returns the content of a word that names x, 0 for nil. Go's collector does not move
// objects on the heap, so a node has one address in its life.
func addressOf[N any](x *N) uint64 { return uint64(uintptr(unsafe.Pointer(x))) }
