package cluster

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// Failure is an operation that a durable unit has told another one, and that has failed for good:
// it has panicked three times, its argument cannot be decoded, or two processes ended while it was
// delivered ([Join]). It has changed nothing. It is in the store until it is tried again or
// dropped.
type Failure struct {
	Number    uint64 // names it, within the store
	Kind, Key string // of the unit that it was sent to, as they are stored
	Operation string // its name in the declaration
	Arg       []byte // as it is stored
	Err       string // the text of the error
}

// failure returns the entry of a delivery that has failed for good.
func (d *delivery) failure(why error) engine.Write {
	return engine.Write{Key: layout.Numbered(layout.Failure, d.number), Value: append(d.encode(), why.Error()...)}
}

// Failures returns the recorded failures, the oldest first. It reads the store as it is when the
// loop begins. An error is the last that the loop gets.
func (n *Node) Failures() iter.Seq2[Failure, error] {
	return func(yield func(Failure, error) bool) {
		enough := errors.New("")
		err := n.engine.Scan([]byte(layout.Failure), func(key, value []byte) error {
			number, err := layout.NumberOf(key)
			if err != nil {
				return err
			}
			t, why, err := n.decodeTell(value)
			if err != nil {
				return err
			}
			f := Failure{Number: number, Kind: t.to.given, Key: t.key, Operation: t.op.given, Arg: t.arg, Err: string(why)}
			if !yield(f, nil) {
				return enough
			}
			return nil
		})
		if err != nil && err != enough {
			yield(Failure{}, err)
		}
	}
}

// Retry delivers what has failed once more, behind all that the unit was told since. It waits until
// that is stored, or ctx is done. There is an error if the failure is not recorded any more.
func (n *Node) Retry(ctx context.Context, number uint64) error {
	return n.remove(ctx, number, func(t *tell) (engine.Write, *delivery) {
		d := n.outbox.number(t)
		return engine.Write{Key: d.key, Value: d.entry}, d
	})
}

// Drop removes a recorded failure. It waits until that is stored, or ctx is done. There is an error
// if the failure is not recorded any more.
func (n *Node) Drop(ctx context.Context, number uint64) error {
	return n.remove(ctx, number, nil)
}

// remove removes a recorded failure, and stores what takes its place, if that is not nil.
func (n *Node) remove(ctx context.Context, number uint64, by func(t *tell) (engine.Write, *delivery)) error {
	if _, handled := n.handled.LoadOrStore(number, true); handled {
		return fmt.Errorf("cluster: another call retries or drops failure %d at the moment", number)
	}
	t, err := n.failed(ctx, number)
	if err != nil {
		n.handled.Delete(number)
		return err
	}
	writes, sends := []engine.Write{{Key: layout.Numbered(layout.Failure, number)}}, []*delivery(nil)
	if by != nil {
		w, d := by(&t)
		writes, sends = append(writes, w), append(sends, d)
	}
	return n.put(ctx, writes, func(err error) {
		if err == nil {
			n.outbox.counts.stored(writes)
			n.outbox.send(sends)
		}
		n.handled.Delete(number)
	})
}

// failed reads a recorded failure.
func (n *Node) failed(ctx context.Context, number uint64) (t tell, err error) {
	type answer struct {
		value []byte
		err   error
	}
	came := make(chan answer, 1)
	n.engine.Get(layout.Numbered(layout.Failure, number), func(value []byte, err error) { came <- answer{value, err} })
	select {
	case a := <-came:
		switch {
		case a.err != nil:
			return t, a.err
		case a.value == nil:
			return t, fmt.Errorf("cluster: there is no recorded failure %d", number)
		}
		t, _, err = n.decodeTell(a.value)
		return t, err
	case <-ctx.Done():
		return t, context.Cause(ctx)
	}
}

// put waits for a write; done is called with its outcome, also if ctx is done before.
func (n *Node) put(ctx context.Context, writes []engine.Write, done func(err error)) error {
	came := make(chan error, 1)
	n.engine.Put(writes, func(err error) {
		done(err)
		came <- err
	})
	select {
	case err := <-came:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
