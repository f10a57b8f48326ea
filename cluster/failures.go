package cluster

import (
	"context"
	"fmt"
	"iter"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// Failure is an operation that a durable unit has told another one, and that has failed for good:
// it has panicked three times, its argument cannot be decoded, or two processes ended while it was
// delivered ([Join]). It has changed nothing. It is in the store until it is tried again or
// dropped.
type Failure struct {
	Number uint64 // names it, within the store
	// Of the unit that it was sent to, of several the first: the name of the declaration, and the
	// key as it is stored.
	Kind, Key string
	Operation string // its name in the declaration
	Arg       []byte // JSON, or what its own AppendBinary has written
	Err       string // the text of the error
	// Others are the further units of an operation on several, as kind/key.
	Others []string
	// Senders are the operations that have sent it, as [freerun.Future.Senders] has them, with
	// their machines; empty for a message of no scope.
	Senders []string
}

// failure returns the entry of a delivery that has failed for good.
func (d *delivery) failure(why error) engine.Write {
	return engine.Write{Key: layout.Numbered(layout.Failure, d.number), Value: append(d.Encode(), dataOf(why).Text...)}
}

// Failures returns the recorded failures, the oldest first, also those of operations that the
// program does not have any more. An error is the last that the loop gets. The loop reads parts of
// the store, as that of [Keys] does.
func (n *Node) Failures() iter.Seq2[Failure, error] {
	if n.shared != nil {
		return n.shared.failures()
	}
	return func(yield func(Failure, error) bool) {
		err := n.scanParts(layout.Failure, true, func(key, value []byte) (more bool, err error) {
			number, err := layout.NumberOf(key)
			if err != nil {
				return false, err
			}
			f, err := n.failureOf(number, value)
			if err != nil {
				return false, err
			}
			return yield(f, nil), nil
		})
		if err != nil {
			yield(Failure{}, err)
		}
	}
}

// failureOf reads a recorded failure. The names are those that the program has now, and those in
// the store where it has none.
func (n *Node) failureOf(number uint64, value []byte) (Failure, error) {
	t, why, err := layout.DecodeTell(value)
	if err != nil {
		return Failure{}, err
	}
	if k := n.stored[t.Kind]; k != nil {
		t.Kind = k.given
		if op := k.ops[t.Operation]; op != nil {
			t.Operation = op.given
		}
	}
	f := Failure{Number: number, Kind: t.Kind, Key: t.Key, Operation: t.Operation, Arg: argument(t), Err: string(why), Senders: sendersOf(t.Values)}
	for _, name := range t.Units[min(1, len(t.Units)):] {
		kind, key, err := layout.UnitOf([]byte(name))
		if err != nil {
			return Failure{}, err
		}
		if k := n.stored[kind]; k != nil {
			kind = k.given
		}
		f.Others = append(f.Others, kind+"/"+key)
	}
	return f, nil
}

// argument returns the argument without what the store has before it.
func argument(t layout.Tell) []byte {
	_, encoded, err := layout.CutVersion(t.Arg)
	if err == nil && len(encoded) > 0 {
		return encoded[1:]
	}
	return t.Arg
}

// Retry delivers what has failed once more, behind all that the unit was told since. It waits until
// that is stored, or ctx is done. There is an error if the failure is not recorded any more, and
// [freerun.ErrClosed] once the runtime drains.
func (n *Node) Retry(ctx context.Context, number uint64) error {
	return n.remove(ctx, number, func(t *tell) (engine.Write, *delivery) {
		d := n.outbox.number(t)
		return d.stored(), d
	})
}

// Drop removes a recorded failure. It waits until that is stored, or ctx is done. There is an error
// if the failure is not recorded any more, and [freerun.ErrClosed] once the runtime drains.
func (n *Node) Drop(ctx context.Context, number uint64) error {
	return n.remove(ctx, number, nil)
}

// remove removes a recorded failure, and stores what takes its place, if that is not nil.
func (n *Node) remove(ctx context.Context, number uint64, by func(t *tell) (engine.Write, *delivery)) error {
	if n.draining() {
		return fmt.Errorf("cluster: the failures are left to the next process: %w", freerun.ErrClosed)
	}
	if _, handled := n.handled.LoadOrStore(number, true); handled {
		return fmt.Errorf("cluster: another call retries or drops failure %d at the moment", number)
	}
	if n.shared != nil {
		defer n.handled.Delete(number)
		return n.shared.removeFailure(ctx, number, by != nil)
	}
	writes, sends := []engine.Write{{Key: layout.Numbered(layout.Failure, number)}}, []*delivery(nil)
	value, err := n.failed(ctx, number)
	if err == nil && by != nil { // to drop one, the program need not have the operation
		var t tell
		if t, _, err = n.decodeTell(value); err == nil {
			w, d := by(&t)
			writes, sends = append(writes, w), append(sends, d)
		}
	}
	if err != nil {
		n.handled.Delete(number)
		return err
	}
	return n.put(ctx, writes, func(err error) {
		if err == nil {
			n.outbox.counts.stored(writes)
			n.outbox.send(sends)
		}
		n.handled.Delete(number)
	})
}

// draining reports whether the runtime takes nothing any more that waits.
func (n *Node) draining() bool {
	select {
	case <-n.rt.Draining():
		return true
	default:
		return false
	}
}

// failed returns the entry of a recorded failure.
func (n *Node) failed(ctx context.Context, number uint64) (value []byte, err error) {
	value, err = await(ctx, n, func(done func(value []byte, err error)) {
		n.engine.Get(layout.Numbered(layout.Failure, number), done)
	})
	if err == nil && value == nil {
		err = errNoFailure(number)
	}
	return value, err
}

func errNoFailure(number uint64) error {
	return fmt.Errorf("cluster: there is no recorded failure %d", number)
}
