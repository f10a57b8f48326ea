package cluster

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"

	"github.com/freerun-go/freerun"
)

// ID returns the identity of the running operation of a durable unit: the same each time the
// operation is tried, after a panic or in a later process, and of no other operation. So it is what
// a service outside is to be given that does a thing once for each identity, a payment or a mail:
//
//	freerun.Go(c, func(c *freerun.Context) (r Receipt, err error) {
//		c.Block(func() { r, err = bank.Pay(id, amount) })
//		return r, err
//	})
//
// That is done at most once: if the process ends before, it is not done by another one. To have it
// done at least once, keep the identity in the state, and set a timer that does it again, as
// docs/durable.md of the repository shows; the operation of that timer has an identity of its own.
//
// An operation with an identity of its own ([Once]) has that, with its unit's. What an operation or
// a timer tells has one when it is stored, and so has what comes through a log that machines share.
// Any other operation runs in one process alone, and has a random one. It returns [ErrOutside]
// elsewhere than in an operation that may change the state of a durable unit. It does not wait.
func ID(c *freerun.Context) (string, error) {
	r, err := runIn(c)
	if err != nil {
		return "", fmt.Errorf("cluster: ID: %w", err)
	}
	switch {
	// Before the number in the log: a message that is sent again has another one.
	case r.hasIdentity():
		return fmt.Sprintf("%x-%s/%s/%s", r.cell.kind.node.id, r.cell.kind.stored, r.cell.keyText(), r.kept.id), nil
	case r.of != nil && r.of.logged != nil:
		return fmt.Sprintf("%x-%d-%d", r.cell.kind.node.id, r.of.logged.part.p, r.of.number), nil
	case r.of != nil:
		return fmt.Sprintf("%x-%d", r.cell.kind.node.id, r.of.number), nil
	}
	if r.id == nil {
		r.id = new([16]byte)
		_, _ = rand.Read(r.id[:]) // it never fails
	}
	return hex.EncodeToString(r.id[:]), nil
}
