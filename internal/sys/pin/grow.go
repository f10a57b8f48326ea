package pin

import "github.com/freerun-go/freerun/internal/sync/atomics"

// Grow sees to it that a list of what each processor has, by the number that Pin gives, has at least so many entries, and returns it. The list is only ever replaced by a longer one that
// begins with the same entries; create makes the one with index i, perhaps in vain. Any goroutine, pinned or not; lock-free.
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
