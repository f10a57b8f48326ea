package main

import (
	"context"
	"errors"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
	"github.com/freerun-go/freerun/programs"
)

var (
	counters = freerun.NewKind("counter", func(*freerun.Context, uint64) (state, error) { return state{}, nil }, cluster.Durable())
	addOp    = freerun.Op("add", func(_ *freerun.Context, s *state, n int64) (int64, error) {
		s.words[0] += n
		return s.words[0], nil
	})
	countOp = freerun.ReadOp("count", func(_ *freerun.Context, s *state, _ struct{}) (int64, error) { return s.words[0], nil })
)

// units is a durable unit for each key.
type units struct {
	rt   *freerun.Runtime
	node *cluster.Node
}

func openUnits(dir string, cfg programs.Config) (contestant, error) {
	rt := cfg.NewRuntime()
	node, err := cluster.Join(rt, cluster.Local(dir, cluster.Create()))
	if err != nil {
		return nil, errors.Join(err, rt.Close())
	}
	return &units{rt, node}, nil
}

func (u *units) fill(n int) error {
	const together = 10_000 // so that they do not pile up
	c := u.rt.Context()
	for from := 0; from < n; from += together {
		var sent []freerun.Future[int64]
		for key := from; key < min(n, from+together); key++ {
			sent = append(sent, addOp.Send(c, counters.At(c, uint64(key)), 0))
		}
		for _, f := range sent {
			if _, err := f.Wait(context.Background()); err != nil {
				return err
			}
		}
	}
	return nil
}

func (u *units) add(key uint64, done func(error)) {
	c := u.rt.Context()
	freerun.Handle(c, addOp.Send(c, counters.At(c, key), 1), func(_ *freerun.Context, _ int64, err error) (struct{}, error) {
		done(err)
		return struct{}{}, nil
	})
}

func (u *units) count(key uint64, done func(int64, error)) {
	c := u.rt.Context()
	freerun.Handle(c, countOp.Send(c, counters.At(c, key), struct{}{}), func(_ *freerun.Context, n int64, err error) (struct{}, error) {
		done(n, err)
		return struct{}{}, nil
	})
}

func (u *units) close() error {
	return errors.Join(u.rt.Shutdown(context.Background()), u.node.Close())
}
