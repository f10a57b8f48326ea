package freerun

import (
	"unsafe"

	"github.com/freerun-go/freerun/internal/scan"
)

// A plan of internal/scan finds the targets of the futures in a value. The target of a future is a
// result, which begins with its promise.

// promiseAt returns the promise of the future whose pointer to a target lies at p; nil for a zero
// future.
func promiseAt(p unsafe.Pointer) *promised { return *(**promised)(p) }

// firstOpen looks at the futures in the value at p. At the first that has no outcome it returns
// that future; at the first that has failed it returns the error. It returns neither if all have
// results. Zero futures have nothing to wait for.
func firstOpen(pl *scan.Plan, p unsafe.Pointer) (*promised, error) {
	if pl.InSight() { // Find, written out
		for _, at := range pl.Offsets {
			m := promiseAt(unsafe.Add(p, at))
			if m == nil || m.HasValue() {
				continue
			}
			if closed, err := m.Outcome(); err != nil || !closed {
				return m.unlessFailed(err)
			}
		}
		return nil, nil
	}
	m := (*promised)(pl.Find(p, lacksValue))
	if m == nil {
		return nil, nil
	}
	_, err := m.Outcome()
	return m.unlessFailed(err)
}

func (m *promised) unlessFailed(err error) (*promised, error) {
	if err != nil {
		return nil, err
	}
	return m, nil
}

func lacksValue(target unsafe.Pointer) bool { return !(*promised)(target).HasValue() }

func isOpen(target unsafe.Pointer) bool { return (*promised)(target).Open() }

func isAny(unsafe.Pointer) bool { return true }

// eachPromise calls f with all futures in the value at p that have a target, open or not.
func eachPromise(pl *scan.Plan, p unsafe.Pointer, f func(*promised)) {
	if pl.InSight() {
		for _, at := range pl.Offsets {
			if m := promiseAt(unsafe.Add(p, at)); m != nil {
				f(m)
			}
		}
		return
	}
	for _, target := range pl.All(p, isAny) {
		f((*promised)(target))
	}
}

// allHaveValues reports whether all futures in the value at p have their results. It returns false
// for a type whose futures take a walk.
func allHaveValues(pl *scan.Plan, p unsafe.Pointer) bool {
	if !pl.InSight() {
		return false
	}
	for _, at := range pl.Offsets {
		if m := promiseAt(unsafe.Add(p, at)); m != nil && m != known && !m.HasValue() {
			return false
		}
	}
	return true
}
