package cluster

import (
	"context"
	"fmt"
	"slices"

	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// What is stored of a kind under an earlier name is moved when the program starts, some entries at
// a time: all that the store has of a unit names the kind in its key, and so need not be read. A
// process that ends in between leaves each entry under one of the names, and the next one goes on.
//
// The store keeps the later name under the earlier one: a program that knows the earlier name alone
// is older, and would begin anew with units that have moved.

// mostMoved is how many entries one write moves.
const mostMoved = 1000

// rename moves what the store has of kinds under earlier names. It waits.
func (n *Node) rename() error {
	if err := n.renamed(); err != nil {
		return err
	}
	for _, k := range n.kinds {
		for _, was := range k.was {
			for _, sort := range []string{layout.Unit, layout.Wake, layout.Once} {
				if err := n.move(sort+was+"\x00", sort+k.given+"\x00"); err != nil {
					return fmt.Errorf("cluster: moving what is stored of kind %s, which was %s: %w", k.given, was, err)
				}
			}
		}
	}
	return nil
}

// renamed returns an error if a kind of this program has a later name in the store, which none of
// its kinds has. Then it notes the names that kinds had before. It waits.
func (n *Node) renamed() error {
	to := map[string]string{}
	err := n.scan(layout.Renamed, func(key, value []byte) (more bool, err error) {
		to[string(key[1:])], err = layout.DecodeRenamed(value)
		return true, err
	})
	if err != nil {
		return fmt.Errorf("%w: the later name of a kind: %w", ErrStateLost, err)
	}
	for name, k := range n.stored {
		if last := layout.LastName(to, name); last != name && n.stored[last] == nil {
			return fmt.Errorf("%w: kind %s has the name %s there, which no kind of this program has", ErrNewer, k.given, last)
		}
	}
	var writes []engine.Write
	for _, k := range n.kinds {
		for _, was := range k.was {
			if to[was] != k.given {
				writes = append(writes, engine.Write{Key: []byte(layout.Renamed + was), Value: layout.EncodeRenamed(k.given)})
			}
		}
		if len(k.was) > 0 && to[k.given] != "" { // it has an earlier name again
			writes = append(writes, engine.Write{Key: []byte(layout.Renamed + k.given)})
		}
	}
	if len(writes) == 0 {
		return nil
	}
	return n.put(context.Background(), writes, func(error) {})
}

// move gives all entries whose keys begin with one prefix keys that begin with another one.
func (n *Node) move(from, to string) error {
	for {
		var writes []engine.Write
		err := n.scan(from, func(key, value []byte) (more bool, err error) {
			moved := append([]byte(to), key[len(from):]...)
			writes = append(writes, engine.Write{Key: slices.Clone(key)}, engine.Write{Key: moved, Value: slices.Clone(value)})
			if key[0] == layout.Once[0] {
				expiries, err := moveExpiry(key, moved, value)
				if err != nil {
					return false, err
				}
				writes = append(writes, expiries...)
			}
			return len(writes) < mostMoved, nil
		})
		if err != nil {
			return err
		}
		if len(writes) == 0 {
			return nil
		}
		if err := n.absent(writes); err != nil {
			return err
		}
		if err := n.put(context.Background(), writes, func(error) {}); err != nil {
			return err
		}
	}
}

// moveExpiry returns the writes that have the expiry of an outcome name its new key.
func moveExpiry(key, moved, value []byte) ([]engine.Write, error) {
	o, err := layout.DecodeOutcome(value)
	if err != nil {
		return nil, fmt.Errorf("%w: an outcome: %w", ErrStateLost, err)
	}
	return []engine.Write{
		{Key: layout.ExpiryOf(o.Expires, slices.Clone(key))},
		{Key: layout.ExpiryOf(o.Expires, moved), Value: []byte{layout.Version}},
	}, nil
}

// absent returns an error if there is an entry already where one is to be moved to.
func (n *Node) absent(writes []engine.Write) error {
	for _, w := range writes {
		if w.Value == nil {
			continue
		}
		value, err := await(context.Background(), n, func(done func(value []byte, err error)) { n.engine.Get(w.Key, done) })
		switch {
		case err != nil:
			return err
		case value != nil:
			return fmt.Errorf("the store has something under both names, of %q: a program ran without the option Was, and began anew; go back to a backup from before", w.Key[1:])
		}
	}
	return nil
}
