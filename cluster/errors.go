package cluster

import (
	"errors"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// Errors of stores. Test with [errors.Is].
var (
	// ErrStateLost says that what was stored is not there, or is not what was stored: a folder
	// without a store, a file of another program, a flipped bit. Nothing is repaired silently.
	ErrStateLost = engine.ErrStateLost
	// ErrNoSpace says that there is no room for a state. What failed with it had no effect; the
	// store goes on when there is room again.
	ErrNoSpace = engine.ErrNoSpace
	// ErrStopped says that the store takes no more writes, because it does not know whether the
	// last ones are durable: after a failed fsync, for example. Start the program again.
	ErrStopped = engine.ErrStopped
	// ErrInUse says that another process, or another runtime of this one, has the store.
	ErrInUse = engine.ErrInUse
	// ErrClosed says that the node has left its store.
	ErrClosed = engine.ErrClosed
)

// Errors of what is sent to durable units, or by them.
var (
	// ErrNotDurable says that what was sent cannot be stored, since it has no name: a function
	// given to Do or Read, or an operation on several units.
	ErrNotDurable = errors.New("cluster: it cannot be stored")
	// ErrNoStore says that a unit is durable, and its runtime has joined no store.
	ErrNoStore = errors.New("cluster: the runtime has no store")
	// ErrWithin says that an operation of a durable unit has sent, to a durable unit, something
	// whose outcome it would get as a future: no record can hold a future.
	ErrWithin = errors.New("cluster: an operation of a durable unit cannot have the outcome of another one")
	// ErrForwarded says that an operation of a durable unit has returned a future that is open, or
	// a result that holds one. What it has changed is undone.
	ErrForwarded = errors.New("cluster: the result of an operation of a durable unit waits for a future")
)
