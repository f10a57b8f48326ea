package cluster

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/freerun-go/freerun/internal/route"
)

// volatileKind is a kind of units that machines share, and that are not durable.
type volatileKind struct {
	keying
	name  string // the full one
	state reflect.Type
	ops   map[string]*operation // by their full names
	named map[string]*operation // by the names of their declarations
}

// volatileKinds finds the kinds of units that machines share and that are not durable, by their
// full names and by those of the declarations.
func volatileKinds(kinds, operations []route.Declared) (all, named map[string]*volatileKind, err error) {
	all, named = map[string]*volatileKind{}, map[string]*volatileKind{}
	var wrong []error
	for _, d := range kinds {
		if _, ours := d.Store.(volatile); !ours {
			continue
		}
		k, err := newVolatileKind(d, operations)
		if other := named[d.Given]; err == nil && other != nil {
			err = fmt.Errorf("two kinds have the name %s between machines, %s and %s; rename one", d.Given, other.name, d.Name)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("cluster: kind %s, declared at %s: %w", d.Given, d.Place, err))
			continue
		}
		all[d.Name], named[d.Given] = k, k
	}
	return all, named, errors.Join(wrong...)
}

func newVolatileKind(d route.Declared, operations []route.Declared) (*volatileKind, error) {
	if !storable.MatchString(d.Given) {
		return nil, fmt.Errorf("the name of a volatile kind consists of a-z, 0-9, _ and -, and not of %q", d.Given)
	}
	k := &volatileKind{name: d.Name, state: d.State, ops: map[string]*operation{}, named: map[string]*operation{}}
	var err error
	if k.keying, err = keyingOf(d); err != nil {
		return nil, err
	}
	for _, o := range operations {
		if o.State != d.State || o.Form != route.Run && o.Form != route.Read {
			continue
		}
		op := newOperation(o, nil)
		if other := k.named[o.Given]; other != nil {
			return nil, fmt.Errorf("two operations on %v have the name %s between machines, %s and %s; rename one", d.State, o.Given, other.name, o.Name)
		}
		k.ops[o.Name], k.named[o.Given] = op, op
	}
	return k, nil
}

// unit names a unit, for its partition.
func (k *volatileKind) unit(key string) string { return k.given + "\x00" + key }

// operationOf returns an operation, which can be sent.
func (k *volatileKind) operationOf(name string, told bool) (*operation, error) {
	switch o := k.ops[name]; {
	case o == nil:
		return nil, fmt.Errorf("%w: operation %s was declared after cluster.Join, or is for other states than those of kind %s, %v", ErrNotSent, shorten(name), k.given, k.state)
	case o.refused != nil:
		return nil, fmt.Errorf("%w: the argument of %s: %w", ErrNotSent, shorten(name), o.refused)
	case !told && o.noResult != nil:
		return nil, fmt.Errorf("%w: the result of %s: %w", ErrNotSent, shorten(name), o.noResult)
	default:
		return o, nil
	}
}
