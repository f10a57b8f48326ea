package cluster

import (
	"context"

	"github.com/freerun-go/freerun"
)

// Direct returns a context whose messages go to durable units beside the log: to the machine that
// has the unit, and, with what the operation has changed, into the store. Without it a message goes
// through the log first, where it survives its sender and any machine:
//
//	balance, err := deposit.Send(cluster.Direct(c), accounts.At(c, "ada"), 5).Wait(ctx)
//
// A direct message has its effect at most once. An outcome that comes is that of an effect that is
// stored. If the machine that has the unit ends meanwhile, there is [ErrUncertain]: read the state,
// or send it again with an identity ([Once]). If no machine had the unit within 30 seconds, there
// is [ErrNotRun], and no effect. Direct and other messages of one sender come in no order.
//
// An operation that tells others something goes through the log all the same, once it has run: what
// it tells needs a place there. So does one on several units, at once.
//
// It is a value of the context, as that of [Once] is. Where one process has the store, and for
// reads, it makes no difference. It panics with a nil context, and does not wait. Cost: a write of
// the store for each command less than without.
func Direct(c *freerun.Context) *freerun.Context { return c.WithValue(directKey{}, true) }

type directKey struct{}

// isDirect reports whether what is sent with a context goes beside the log.
func isDirect(c context.Context) bool { return c.Value(directKey{}) != nil }
