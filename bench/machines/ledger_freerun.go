package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster"
)

// memo and record are the states of units under chaos: in memory, and durable.
type (
	memo   struct{ IDs []string }
	record struct{ IDs []string }
)

var (
	memos    = freerun.NewKind("memo", func(*freerun.Context, int) (memo, error) { return memo{}, nil }, cluster.Volatile())
	noteMemo = freerun.Op("note", func(_ *freerun.Context, s *memo, id string) (int, error) {
		s.IDs = append(s.IDs, id)
		return len(s.IDs), nil
	})
	readMemo = freerun.ReadOp("noted", func(_ *freerun.Context, s *memo, _ struct{}) (string, error) { return list(s.IDs), nil })

	records    = freerun.NewKind("record", func(*freerun.Context, int) (record, error) { return record{}, nil }, cluster.Durable())
	noteRecord = freerun.Op("note-record", func(_ *freerun.Context, s *record, id string) (int, error) {
		s.IDs = append(s.IDs, id)
		return len(s.IDs), nil
	})
	readRecord = freerun.ReadOp("recorded", func(_ *freerun.Context, s *record, _ struct{}) (string, error) { return list(s.IDs), nil })

	volatileLedgers = scenario{
		name: "freerun-volatile", server: true,
		promises: "a state in memory: that of the machine is lost with it, and others have the units anew",
		node:     freerunNode(memos, noteMemo, readMemo, func(c *freerun.Context, _ string) *freerun.Context { return c }),
	}
	loggedLedgers = scenario{
		name: "freerun-logged", server: true,
		promises: "a state that is stored, and each identity has its effect once",
		node:     freerunNode(records, noteRecord, readRecord, func(c *freerun.Context, id string) *freerun.Context { return cluster.Once(c, id) }),
	}
)

// freerunNode is a machine; with adds the identity to a context.
func freerunNode[S any](kind *freerun.Kind[int, S], note *freerun.Operation[S, string, int], read *freerun.ReadOperation[S, struct{}, string],
	with func(c *freerun.Context, id string) *freerun.Context,
) func(p place) (*member, error) {
	return func(p place) (*member, error) {
		j, err := join(p)
		if err != nil {
			return nil, err
		}
		find := func(owner string) (*book, error) {
			keys, err := keysAt(j, kind, owner)
			if err != nil {
				return nil, err
			}
			return &book{
				note: func(unit int, id string, most time.Duration) error {
					ctx, cancel := context.WithTimeout(context.Background(), most)
					defer cancel()
					_, err := note.Call(ctx, kind.At(with(j.rt.Context(), id), keys[unit]), id)
					return err
				},
				read: func(unit int) ([]string, error) {
					ctx, cancel := context.WithTimeout(context.Background(), mostCall)
					defer cancel()
					text, err := read.Call(ctx, kind.At(j.rt.Context(), keys[unit]), struct{}{})
					return unlist(text), err
				},
			}, nil
		}
		return &member{self: j.node.Machines().Self, find: find, stop: j.stop}, nil
	}
}

// keysAt returns keys of units that a machine has, once there are three.
func keysAt[S any](j *joined, kind *freerun.Kind[int, S], owner string) (keys []int, err error) {
	for end := time.Now().Add(mostCall); len(j.node.Machines().Partitions) < machines; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			return nil, errors.New("the machines do not know each other")
		}
	}
	time.Sleep(2 * time.Second) // what was here is there
	for key := 0; len(keys) < ledgers; key++ {
		at, _, err := cluster.OwnerOf(j.node, kind, key)
		if err != nil {
			return nil, err
		}
		if at == owner {
			keys = append(keys, key)
		}
		if key > 1000*ledgers {
			return nil, fmt.Errorf("machine %s has no units", owner)
		}
	}
	return keys, nil
}
