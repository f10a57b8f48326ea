package cluster

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// Sketch:     the write that has the effect of an operation with an identity has its outcome, too,
//             under the identity, beside the record
//             an operation with an identity asks the store first, and what has come to the unit
//             meanwhile is put behind it (cell_again.go); with an outcome in the store it does not
//             run. One that has run and is in no write that is done has its identity in the unit's
//             memory: others with the identity wait for its outcome, and get that
//             a sweep removes outcomes whose time has passed, the oldest first
// Invariants: O1 An operation with an identity has its effect in the write that stores its outcome.
//             O2 It runs only if no outcome is stored under its identity, and no other operation of
//             that identity is in a write that is not done.

// Once returns a context whose messages have an identity: of the operations that come to one
// durable unit with the same identity, from wherever, the first that has an effect is the only one;
// each later one gets its outcome, which is stored with the effect, and does not run. So a request
// whose outcome did not come can be sent again, by another process, too:
//
//	once := cluster.Once(rt.Context(), request.ID)
//	balance, err := deposit.Send(once, accounts.At(once, "ada"), 5).Wait(ctx)
//
// An outcome is kept for at least 24 hours, or as long as [OnceFor] says, also if it is an error
// that the operation has returned. An operation that has failed otherwise, with three panics or
// without room for its state, had no effect: the next one with its identity runs. The identity
// belongs to one operation: another operation of the unit that comes with it fails with
// [ErrOtherOperation]. The argument is not compared.
//
// It is a value of the context ([freerun.Context.WithValue]), and travels as those do, also through
// units that are not durable; not with what a durable unit tells, which needs none. Reads do not
// look at it. An operation whose result cannot be stored is refused with [ErrNotDurable]; so is an
// identity that is empty, or has more than 256 bytes, by the message. Once panics with a nil
// context. It does not wait. Cost: a read of the store before the operation, and two entries beside
// its state.
func Once(c *freerun.Context, id string) *freerun.Context { return c.WithValue(onceKey{}, id) }

type onceKey struct{}

// mostID is how long an identity may be, in bytes.
const mostID = 256

// onceFor is how long the outcome of an operation with an identity is kept.
const onceFor = 24 * time.Hour

// OnceFor has the units of a kind keep the outcomes of operations with an identity ([Once]) for d,
// and not for 24 hours. It is for kinds alone: [Stored] panics with it. It panics
// if d is not positive.
func OnceFor(d time.Duration) StoredOption {
	if d <= 0 {
		panic(fmt.Sprintf("cluster: OnceFor %v; it needs a positive time", d))
	}
	return StoredOption{func(h *heritage) { h.onceFor = d }}
}

// kept is the outcome of an operation that is stored with its effect.
type kept struct {
	op      *operation
	result  any    // a pointer to the operation's result
	encoded []byte // the result, once it has run
	err     error  // what it has returned

	// Of an operation with an identity; for a question they are zero.
	id     string
	key    []byte // of its outcome
	asked  bool   // the store was asked
	loads  uint64 // how often the state was loaded by then
	stored []byte // what the store had; nil for nothing
	twins  []*run // others of that identity, which get its outcome. Guarded by identities.mu
}

// identities are those of a unit's operations that have run, and whose write is not done.
type identities struct {
	mu     sync.Mutex
	runs   map[string]*run
	asking atomic.Bool // the store is asked, for the operation that comes next
}

// identify gives an operation its identity; the error says why it cannot have it.
func (c *cell) identify(r *run, id, operation string, result any) error {
	o, err := c.kind.operationOf(operation)
	switch {
	case err != nil:
		return err
	case o.noResult != nil:
		return o.keepsResult()
	}
	r.kept = &kept{op: o, result: result, id: id, key: layout.OnceOf(c.kind.stored, c.keyText(), id)}
	return nil
}

// checkIdentity returns why an identity cannot be one; nil if it can.
func checkIdentity(id string) error {
	if id == "" || len(id) > mostID {
		return fmt.Errorf("%w: an identity has 1 to %d bytes, and this one has %d", ErrNotDurable, mostID, len(id))
	}
	return nil
}

// keep notes what an operation has returned, if that is to be stored; the error says that it cannot
// be.
func (r *run) keep(err error) error {
	if r.kept == nil {
		return nil
	}
	r.kept.err, r.kept.encoded = err, nil
	if err == nil {
		r.kept.encoded, err = r.kept.op.result.Append(nil, r.kept.result)
		return err
	}
	return nil
}

// hasIdentity reports whether an operation has an identity.
func (r *run) hasIdentity() bool { return r.kept != nil && r.kept.id != "" }

// isLookingUp reports whether the unit waits for what the store has under an identity.
func (c *cell) isLookingUp() bool {
	rare := c.rare.Load()
	return rare != nil && rare.identities.asking.Load()
}

// knows reports whether it is known that an operation may run now. If not, it comes again once the
// store has answered, or it has an outcome now, or it gets that of the operation before it. In the
// unit's turn.
func (c *cell) knows(r *run) bool {
	switch {
	case !r.hasIdentity():
		return true
	case r.kept.asked && c.isLoaded(r.kept.loads):
		return !r.replays()
	}
	all := &c.withRare().identities
	all.mu.Lock()
	first := all.runs[r.kept.id]
	if first == r { // it has run on a state that was loaded again since
		delete(all.runs, r.kept.id)
		first = nil
	}
	if first != nil && first.kept.op == r.kept.op {
		first.kept.twins = append(first.kept.twins, r)
	}
	all.mu.Unlock()
	switch {
	case first == nil:
		all.asking.Store(true)
		c.lookUp(r)
	case first.kept.op != r.kept.op:
		return !r.isRefused(r.kept.otherThan(first.kept.op.given))
	}
	return false
}

// isRefused gives an operation an error as its outcome, without that it runs, and reports whether
// that is all: a command of a log has its refusal in the record, too.
func (r *run) isRefused(why error) bool {
	if r.of != nil {
		r.refuse(why)
		return false
	}
	r.release(why)
	return true
}

func (k *kept) otherThan(other string) error {
	return fmt.Errorf("%w: %q came with operation %s before, and comes with %s", ErrOtherOperation, k.id, other, k.op.given)
}

// lookUp asks the store what it has under the identity of an operation.
func (c *cell) lookUp(r *run) {
	if c.logged != nil {
		r.kept.loads, r.logged.replayed = c.logged.loads, false
		c.logged.lookUp(r)
		return
	}
	c.kind.node.engine.Get(r.kept.key, func(value []byte, err error) { c.answered(r, value, err) })
}

// isLoaded reports whether the state was not loaded again since it was loaded so many times.
// Another machine that shares the unit may have stored something meanwhile.
func (c *cell) isLoaded(times uint64) bool { return c.logged == nil || c.logged.loads == times }

// answered is called with what the store has under the identity of an operation.
func (c *cell) answered(r *run, value []byte, err error) {
	began := false
	c.unit.Run(func(ctx *freerun.Context, state any) {
		began = true
		c.withRare().identities.asking.Store(false)
		if err != nil {
			r.release(err)
		} else {
			r.kept.asked, r.kept.stored = true, value
			c.putFirst(r)
		}
		if !c.isBroken() { // otherwise it comes with what is to run again
			c.again(ctx, state, nil)
		}
	}, func(err error) {
		if !began {
			c.withRare().identities.asking.Store(false)
			r.release(err)
			releaseAll(c.takeBehind(), err)
		}
	})
}

// replays gives an operation the outcome that is stored under its identity, if there is one.
func (r *run) replays() bool {
	if r.kept.stored == nil {
		return false
	}
	o, err := layout.DecodeOutcome(r.kept.stored)
	switch {
	case err != nil:
		return r.isRefused(fmt.Errorf("%w: the outcome of %q: %w", ErrStateLost, r.kept.id, err))
	case r.cell.kind.ops[o.Operation] != r.kept.op:
		return r.isRefused(r.kept.otherThan(o.Operation))
	default:
		returned, err := decodeError(o.Err)
		if err != nil {
			returned = fmt.Errorf("%w: the outcome of %q: %w", ErrStateLost, r.kept.id, err)
		}
		r.kept.encoded, r.kept.err = o.Result, returned
		if r.of != nil { // the record has to have it, too
			r.logged.replayed = true
			return false
		}
		r.release(r.kept.replay())
	}
	return true
}

// replay returns the outcome that was stored.
func (k *kept) replay() error {
	if k.err != nil {
		return k.err
	}
	return k.op.result.Decode(k.encoded, k.result)
}

// hasRun notes that an operation has run, and is in no write that is done.
func (c *cell) hasRun(r *run) {
	if !r.hasIdentity() || r.refused != nil {
		return
	}
	all := &c.withRare().identities
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.runs == nil {
		all.runs = map[string]*run{}
	}
	all.runs[r.kept.id] = r
}

// outcome returns the writes that store the outcome of an operation with an identity.
func (r *run) outcome() []engine.Write {
	o := layout.Outcome{
		Expires:   dueAfter(r.cell.kind.node.rt.Now(), r.cell.kind.onceFor),
		Operation: r.kept.op.given, Result: r.kept.encoded, Err: encodeError(r.kept.err),
	}
	return []engine.Write{
		{Key: r.kept.key, Value: o.Encode()},
		{Key: layout.ExpiryOf(o.Expires, r.kept.key), Value: []byte{layout.Version}},
	}
}

// settled gives the twins of an operation its outcome: err, or what it has returned if err is nil.
func (r *run) settled(err error) {
	all := &r.cell.withRare().identities
	all.mu.Lock()
	if all.runs[r.kept.id] == r {
		delete(all.runs, r.kept.id)
	}
	twins := r.kept.twins
	r.kept.twins = nil
	all.mu.Unlock()
	for _, t := range twins {
		if t.of != nil || isDeferred(err) { // the record has to have it, too; or nothing has run
			t.cell.comesBehind(t)
			continue
		}
		if err == nil {
			t.kept.encoded, t.kept.err = r.kept.encoded, r.kept.err
			t.release(t.kept.replay())
		} else {
			t.release(err)
		}
	}
}

// mostSwept is how many outcomes one write of a sweep removes.
const mostSwept = 1000

// leastSweep is the least time between two sweeps.
const leastSweep = time.Minute

// sweepAfter has outcomes whose time has passed be removed after d, unless that is to come already.
func (n *Node) sweepAfter(d time.Duration) {
	if !n.sweeps.Swap(true) {
		blocks.SendAfter(n.rt.Context(), d, n.sweep)
	}
}

// sweep removes outcomes whose time has passed. It waits for the store.
func (n *Node) sweep() {
	n.sweeps.Store(false) // an outcome that is stored from now on has a sweep to come
	var writes []engine.Write
	var next time.Time
	now := n.rt.Now()
	err := n.scan(layout.Expiry, func(key, _ []byte) (more bool, err error) {
		at, outcome, err := layout.DecodeExpiry(key)
		if err != nil {
			return false, err
		}
		if at.After(now) || len(writes) >= 2*mostSwept {
			next = at
			return false, nil
		}
		writes = append(writes, engine.Write{Key: slices.Clone(key)}, engine.Write{Key: slices.Clone(outcome)})
		return true, nil
	})
	if err != nil {
		return // a damaged entry: the start finds it, too
	}
	if len(writes) > 0 {
		n.engine.Put(writes, func(err error) {
			switch {
			case err == nil && !next.IsZero(), errors.Is(err, ErrNoSpace):
				n.sweepAfter(max(next.Sub(now), leastSweep))
			}
		})
		return
	}
	if !next.IsZero() {
		n.sweepAfter(max(next.Sub(now), leastSweep))
	}
}
