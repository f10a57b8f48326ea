package activity

import "context"

// Locker is a lock: [Mutex], [FairMutex], [RWMutex] for writing, or its [RWMutex.RLocker] for reading.
type Locker interface {
	// Lock locks it, and returns nil exactly if it did.
	Lock(ctx context.Context) error
	// Unlock unlocks it. It does not wait.
	Unlock()
}
