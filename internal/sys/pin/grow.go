package pin

import "github.com/freerun-go/freerun/internal/sync/atomics"

// Grow extends a list whose indices are those of Pin to at least atLeast entries, and returns it. A
// list is only replaced by a longer one that begins with the same entries. create makes the entry
// with index i; the entry is dropped if another goroutine extends the list first. Any goroutine,
// pinned or not, may call Grow; it is lock-free.
func Grow[T any](list *atomics.Pointer[[]*T], atLeast int, create func(i int) *T) []*T {
	for {
		old := list.Load()
		var all []*T
		if old != nil {
			all = *old
		}
		if len(all) >= atLeast {
			return all
		}
		longer := make([]*T, atLeast)
		for i := copy(longer, all); i < atLeast; i++ {
			longer[i] = create(i)
		}
		if list.CompareAndSwap(old, &longer) {
			return longer
		}
	}
}
