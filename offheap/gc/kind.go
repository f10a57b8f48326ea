package gc

import (
	"fmt"
	"math/bits"
	"reflect"
	_ "sync/atomic" // see internal/sync/atomics: it inlines the operations

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/sys/pin"
)

// kind is the part of a heap for objects of one type.
type kind struct {
	layout
	heap     *Heap
	bytes    int // of a chunk
	perChunk int // objects

	head    atomics.Pointer[chunk]     // all chunks of the kind
	scan    atomics.Pointer[chunk]     // the next that allocators look into; nil after the last
	scanned atomics.Uint64             // the cycle after which scan began anew
	cursors atomics.Pointer[[]*cursor] // of each local, by index; replaced by longer ones only
}

// Type is a type of objects in a heap. [For] makes one. It may be copied, and any goroutine may use
// it. New of the zero Type panics.
type Type[T any] struct{ kind *kind }

// For returns the type T of objects of a heap. It looks at T once, by reflection, to find its
// references: fields of type [Pointer], in structs, arrays and nested structs. For the same T it
// returns the same Type. Any goroutine may call it.
//
// T must contain nothing else that Go's collector has to see: pointers, slices, strings, maps,
// channels, functions and interfaces cannot be in memory that Go's collector does not look at. The
// error names such a field.
func For[T any](h *Heap) (Type[T], error) {
	h.mustBeUsable()
	k, err := h.kindOf(reflect.TypeFor[T]())
	return Type[T]{k}, err
}

func (h *Heap) kindOf(t reflect.Type) (*kind, error) {
	var made *kind
	for {
		known := h.kinds.Load()
		if known != nil {
			for _, k := range *known {
				if k.typ == t {
					return k, nil
				}
			}
		}
		if made == nil {
			l, err := layoutOf(t)
			if err != nil {
				return nil, err
			}
			if t.Align() > 32 {
				return nil, fmt.Errorf("gc: %v must be aligned to %d bytes; blocks of the arena are to 32", t, t.Align())
			}
			made = &kind{layout: l, heap: h, bytes: max(chunkBytes, 1<<bits.Len(uint(l.size-1)))}
			made.perChunk = made.bytes / int(l.size)
		}
		var longer []*kind
		if known != nil {
			longer = append(longer, *known...)
		}
		longer = append(longer, made)
		if h.kinds.CompareAndSwap(known, &longer) {
			return made, nil
		}
	}
}

// cursor returns the cursor of a local, nil if there is none yet.
func (k *kind) cursor(l *local) *cursor {
	if all := k.cursors.Load(); all != nil && l.index < len(*all) {
		return (*all)[l.index]
	}
	return nil
}

// growCursors makes a cursor for each local.
func (k *kind) growCursors() {
	pin.Grow(&k.cursors, len(*k.heap.locals.Load()), func(int) *cursor { return new(cursor) })
}
