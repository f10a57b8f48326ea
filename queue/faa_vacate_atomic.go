//go:build !gc || !(amd64 || arm64) || race || freerun_portable || go1.27 || explore

package queue

// vacate makes the slots vacant. Here marks are ordinary atomics, or are watched by the race
// detector or the explorer (see faa_vacate.go).
func vacate[T any](slots []segmentSlot[T]) {
	for i := range slots {
		slots[i].mark.Store(vacant)
	}
}
