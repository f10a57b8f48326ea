package cluster

import (
	"fmt"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/cluster/internal/partition"
)

// OwnerOf returns the name of the machine that has the unit of a key, as this one knows it
// ([Machines.Self]), and whether that is this one: to send a client to where its unit is, above
// all. Others may know something else for a second or two. The name is empty where one process has
// all units, and for the first moment of a machine, which knows no others then; here says whether
// the unit is here all the same.
//
// It fails for a kind that is neither [Durable] nor [Volatile], or was declared after [Join], and
// for a key that a unit of the kind cannot have. Any goroutine may call it; it does not wait.
func OwnerOf[K comparable, S any](n *Node, of *freerun.Kind[K, S], key K) (machine string, here bool, err error) {
	name := freerun.NameOf(of)
	unit, s := "", n.shared
	if k := n.kinds[name]; k != nil {
		text, err := k.keyText(key)
		if err != nil {
			return "", false, err
		}
		unit = layout.Records(k.stored) + text
	} else if k := n.volatile[name]; k != nil {
		text, err := k.keyText(key)
		if err != nil {
			return "", false, err
		}
		unit = k.unit(text)
	} else {
		return "", false, fmt.Errorf("%w that has kind %s: it is neither durable nor volatile, or was declared after Join", ErrNoStore, name)
	}
	if s == nil {
		return "", true, nil
	}
	if v := s.machine.View(); v != nil {
		machine = v.Owners[partition.Of(unit, len(s.parts))]
	}
	return machine, machine == s.engine.Name(), nil
}
