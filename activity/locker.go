package activity

import "context"

// Locker is a lock that activities may wait for: [Mutex], [FairMutex], or [RWMutex] for writing.
type Locker interface {
	// Lock waits for the lock. It returns nil exactly if it has locked it.
	Lock(ctx context.Context) error
	// Unlock unlocks it. It does not wait.
	Unlock()
}
