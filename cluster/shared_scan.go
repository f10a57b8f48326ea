package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// What the calls of a node that look at the store see of partitions that machines share.

// scan returns the entries of a partition whose keys begin with prefix, in the order of the keys.
// It waits, mostRequest at most while the store does not answer.
func (s *shared) scan(ctx context.Context, p int, prefix string) ([]engine.Write, error) {
	for until := s.node.rt.Now().Add(mostRequest); ; {
		var found []engine.Write
		_, err := await(ctx, s.node, func(done func(struct{}, error)) {
			s.engine.Scan(p, []byte(prefix), func(key, value []byte, _ uint64) {
				found = append(found, engine.Write{Key: key, Value: value})
			}, func(err error) { done(struct{}{}, err) })
		})
		if errors.Is(err, engine.ErrUncertain) && ctx.Err() == nil {
			if s.node.rt.Now().Before(until) {
				continue
			}
			return nil, fmt.Errorf("cluster: the store has not answered within %v: %w", mostRequest, err)
		}
		slices.SortFunc(found, func(a, b engine.Write) int { return bytes.Compare(a.Key, b.Key) })
		return found, err
	}
}

// keys calls each with the keys of the units of a kind that have a state, and whose text begins
// with prefix, partition by partition.
func (s *shared) keys(k *kind, prefix string, each func(text string) (more bool, err error)) error {
	begins := layout.Records(k.stored)
	for p := range s.parts {
		found, err := s.scan(context.Background(), p, begins+prefix)
		if err != nil {
			return err
		}
		for _, e := range found {
			stored, _, err := decodeStored(e.Value)
			if err != nil {
				return fmt.Errorf("%w: the record %q: %w", ErrStateLost, e.Key, err)
			}
			if !stored.state {
				continue // it was forgotten, or refused all
			}
			if more, err := each(string(e.Key[len(begins):])); err != nil || !more {
				return err
			}
		}
	}
	return nil
}

// A failure that machines share is numbered by its number in the partition (failureIn), and by
// that.

func (s *shared) failureNumber(p int, n uint64) uint64 { return n*uint64(len(s.parts)) + uint64(p) }

func (s *shared) failurePlace(number uint64) (p int, key []byte) {
	n := uint64(len(s.parts))
	return int(number % n), layout.Numbered(layout.Failure, number/n)
}

// failures are the recorded failures.
func (s *shared) failures() iter.Seq2[Failure, error] {
	return func(yield func(Failure, error) bool) {
		for p := range s.parts {
			found, err := s.scan(context.Background(), p, layout.Failure)
			if err != nil {
				yield(Failure{}, err)
				return
			}
			for _, e := range found {
				seq, err := layout.NumberOf(e.Key)
				f := Failure{}
				if err == nil {
					f, err = s.node.failureOf(s.failureNumber(p, seq), e.Value)
				}
				if !yield(f, err) || err != nil {
					return
				}
			}
		}
	}
}

// removeFailure removes a recorded failure. again: it is delivered once more, before. So a process
// that ends in between leaves one that is recorded, and was delivered.
func (s *shared) removeFailure(ctx context.Context, number uint64, again bool) error {
	p, key := s.failurePlace(number)
	type entry struct {
		value    []byte
		revision uint64
	}
	e, err := await(ctx, s.node, func(done func(entry, error)) {
		s.engine.Read(p, key, func(value []byte, revision uint64, err error) { done(entry{value, revision}, err) })
	})
	if err == nil && e.value == nil {
		err = errNoFailure(number)
	}
	if err == nil && again {
		err = s.deliverAgain(ctx, e.value)
	}
	if err != nil {
		return err
	}
	_, err = await(ctx, s.node, func(done func(struct{}, error)) {
		s.engine.Swap(p, []engine.Write{{Key: key}}, e.revision, func(_ uint64, err error) { done(struct{}{}, err) })
	})
	if errors.Is(err, engine.ErrConflict) {
		err = errNoFailure(number)
	}
	return err
}

// deliverAgain sends what has failed, and waits until the log has it.
func (s *shared) deliverAgain(ctx context.Context, failure []byte) error {
	t, _, err := s.node.decodeTell(failure)
	if err != nil {
		return err
	}
	send := s.node.sendOf(&t)
	_, err = await(ctx, s.node, func(done func(struct{}, error)) {
		s.machine.Send(send.Unit, send.Body, func(err error) { done(struct{}{}, err) }, nil)
	})
	return notAccepted(err)
}
