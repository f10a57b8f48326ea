package main

import (
	"context"
	"errors"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// bucket is the state of a key.
type bucket struct{ Due int64 }

func newBucket(*freerun.Context, string) (bucket, error) { return bucket{}, nil }

// The keys, in memory and in a store. Idle ones are passive: in memory they are dropped.
var (
	inMemory = freerun.NewKind("key", newBucket)
	onDisk   = freerun.NewKind("stored", newBucket, cluster.Durable())
)

var allow = freerun.Op("allow", func(c *freerun.Context, b *bucket, l limit) (wait time.Duration, _ error) {
	b.Due, wait = l.take(b.Due, c.Runtime().Now().UnixNano())
	return wait, nil
})

// allowStored is allow for a stored key. The store forgets the key when it is as good as new.
var allowStored = freerun.Op("allowStored", func(c *freerun.Context, b *bucket, l limit) (wait time.Duration, _ error) {
	b.Due, wait = l.take(b.Due, c.Runtime().Now().UnixNano())
	return wait, cluster.TellAfter(c, l.full(), "forget", forget, struct{}{})
})

// forget looks whether the key is as good as new: a request may have come after the timer had told.
var forget = freerun.Op("forget", freerun.NoResult(func(c *freerun.Context, b *bucket, _ struct{}) error {
	if b.Due > c.Runtime().Now().UnixNano() {
		return nil // that request has set the timer anew
	}
	return cluster.Forget(c)
}))

// units is a limiter with a unit for each key.
type units struct {
	limit limit
	rt    *freerun.Runtime
	node  *cluster.Node // nil in memory
	kind  *freerun.Kind[string, bucket]
	op    *freerun.Operation[bucket, limit, time.Duration]
}

// newUnits returns a limiter that stores in the folder dir what its keys have left, if dir is not
// empty. A killed process loses nothing; the loss of power loses at most a second of allowances.
func newUnits(rt *freerun.Runtime, l limit, dir string) (*units, error) {
	u := &units{l, rt, nil, inMemory, allow}
	if dir != "" {
		node, err := cluster.Join(rt, cluster.Local(dir, cluster.Create(), cluster.SyncEvery(time.Second)))
		if err != nil {
			return nil, err
		}
		u.node, u.kind, u.op = node, onDisk, allowStored
	}
	u.kind.Configure(rt, freerun.PassivateAfter(2*l.full()))
	return u, nil
}

func (u *units) allow(ctx context.Context, key string) (time.Duration, error) {
	return u.op.Call(ctx, u.kind.At(u.rt.Context(), key), u.limit)
}

func (u *units) keys() int { return u.kind.Len(u.rt) }

func (u *units) close(ctx context.Context) error {
	err := u.rt.Shutdown(ctx)
	if u.node != nil {
		err = errors.Join(err, u.node.Close())
	}
	return err
}
