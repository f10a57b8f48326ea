package queue

// The bounded queues with their first item at a position of the test's choice, so that the
// positions overflow soon.

func NewSPSCAt[T any](capacity int, start uint64) *SPSC[T] { return newSPSC[T](capacity, start) }

func NewMPSCAt[T any](capacity int, start uint64) *MPSC[T] { return newMPSC[T](capacity, start) }

func NewSPMCAt[T any](capacity int, start uint64) *SPMC[T] { return newSPMC[T](capacity, start) }

func NewMPMCAt[T any](capacity int, start uint64) *MPMC[T] { return newMPMC[T](capacity, start) }
