package cluster

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// Sketch:     machines with an older and a newer program share units: so a kind keeps the name in
//             the store that it had first, whatever later programs call it, and nothing moves
//             the store has a table, by each name that a program has had for a kind, of the name
//             that the kind has in the store. It is one entry, of partition 0
//             a node reads it when it joins, and adds the names of its kinds that it does not have
// Invariants: K1 A name that is in the table stays there, with the name in the store.
//             K2 A node sends, and takes, nothing for a kind before the table has all its names. So
//             programs of which one says Was of a name of the other agree, whichever joins first.
// Checked by: of package clustertest TestMachinesRenamed

// settleNames gives the kinds the names that they have in the store. It waits.
func (s *shared) settleNames() error {
	if r, renames := s.engine.(engine.Renaming); renames {
		for _, k := range s.node.kinds {
			k.given, k.was = r.Named(k.given)
		}
	}
	for until := s.node.rt.Now().Add(mostRequest); ; {
		names, revision, err := s.readNames()
		known := len(names)
		if err == nil {
			err = s.node.settleNames(names)
		}
		if err == nil && len(names) > known {
			_, err = await(context.Background(), s.node, func(done func(struct{}, error)) {
				table := engine.Write{Key: []byte(layout.Names), Value: layout.EncodeNames(names)}
				s.engine.Swap(0, []engine.Write{table}, revision, func(_ uint64, err error) { done(struct{}{}, err) })
			})
		}
		if !errors.Is(err, engine.ErrUncertain) && !errors.Is(err, engine.ErrConflict) {
			return err
		}
		if !s.node.rt.Now().Before(until) {
			return fmt.Errorf("cluster: the names of the kinds in the store were not read and written within %v: %w", mostRequest, err)
		}
		if _, err := freerun.After(s.node.rt.Context(), leastPause).Wait(context.Background()); err != nil {
			return err
		}
	}
}

// readNames reads the table. It waits.
func (s *shared) readNames() (names map[string]string, revision uint64, err error) {
	value, err := await(context.Background(), s.node, func(done func(value []byte, err error)) {
		s.engine.Read(0, []byte(layout.Names), func(value []byte, at uint64, err error) {
			revision = at
			done(value, err)
		})
	})
	if err == nil {
		names, err = layout.DecodeNames(value)
	}
	return names, revision, err
}

// settleNames gives the kinds the names in the store that a table has, which gets those that it
// does not have.
func (n *Node) settleNames(table map[string]string) error {
	n.stored = map[string]*kind{}
	var all []error
	for _, name := range slices.Sorted(maps.Keys(n.kinds)) {
		k := n.kinds[name]
		all = append(all, k.settleName(table))
		if other := n.stored[k.stored]; other != nil {
			all = append(all, fmt.Errorf("cluster: kinds %s and %s have one name in the store, %s, which one of them had first; give the other one another name", k.given, other.given, k.stored))
		}
		n.stored[k.stored] = k
	}
	return errors.Join(all...)
}

// settleName gives the kind its name in the store.
func (k *kind) settleName(table map[string]string) error {
	names := append([]string{k.given}, k.was...)
	var found []string
	for _, name := range names {
		if stored := table[name]; stored != "" && !slices.Contains(found, stored) {
			found = append(found, stored)
		}
	}
	switch len(found) {
	case 0:
		k.stored = k.given
	case 1:
		k.stored = found[0]
	default:
		return fmt.Errorf("cluster: the store has units of kind %s under the names %q: a program ran without the option Was, and began anew; give the kind a name that none had, with Was of one whose units it is to have", k.given, found)
	}
	for _, name := range names {
		table[name] = k.stored
	}
	return nil
}
