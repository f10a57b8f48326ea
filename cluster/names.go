package cluster

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"sync/atomic"
	"time"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/codec"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/internal/route"
)

// What is stored names kinds and operations as their declarations do, without the package: so a
// declaration may move to another package.

// kind is a durable kind, in one runtime.
type kind struct {
	node *Node
	keying
	name string // the full one
	// stored is that in the store: the given one, unless machines share it (names_shared.go).
	stored string
	was    []string
	// onceFor is how long the outcomes of operations with an identity are kept.
	onceFor time.Duration
	state   *shape
	ops     map[string]*operation
	reads   map[string]*operation // that only look
	crowd   crowd
	size    atomic.Int64 // of the last record; the next one is likely to be as long
	// active returns how many units are in memory.
	active func(rt any) int
}

// operation is an operation that takes the states of a durable kind.
type operation struct {
	name  string // the full one
	given string // the stored one
	state reflect.Type
	arg   *shape
	// refused says why arguments cannot be stored; nil if they can be.
	refused error
	reads   bool // it only looks
	// result is how results are stored; if noResult is not nil, it says why they cannot be.
	result   *codec.Codec
	noResult error
}

// storable are the names of kinds in a store: those that stores of all sorts can have.
var storable = regexp.MustCompile(`^[a-z0-9_-]+$`)

// names finds all durable kinds, and their operations.
func (n *Node) names() error {
	n.kinds, n.stored, n.ops = map[string]*kind{}, map[string]*kind{}, map[string]*operation{}
	operations := seam.Operations()
	var all []error
	for _, d := range seam.Kinds() {
		store, ours := d.Store.(durable)
		if !ours {
			continue
		}
		k, err := n.newKind(d, store.of, operations)
		if err == nil {
			err = n.add(k)
		}
		if err != nil {
			all = append(all, fmt.Errorf("cluster: kind %s, declared at %s: %w", d.Given, d.Place, err))
		}
	}
	return errors.Join(all...)
}

func (n *Node) add(k *kind) error {
	for _, name := range append([]string{k.given}, k.was...) {
		if other := n.stored[name]; other != nil {
			return fmt.Errorf("two durable kinds have the name %s in the store, %s and %s; rename one", name, other.name, k.name)
		}
		n.stored[name] = k
	}
	n.kinds[k.name] = k
	return nil
}

func (n *Node) newKind(d route.Declared, h *heritage, operations []route.Declared) (k *kind, err error) {
	k = &kind{node: n, name: d.Name, stored: d.Given, was: h.was, onceFor: cmp.Or(h.onceFor, onceFor), active: d.Active, ops: map[string]*operation{}, reads: map[string]*operation{}}
	for _, name := range h.names(d.Given) {
		if !storable.MatchString(name) {
			return nil, fmt.Errorf("the name of a durable kind consists of a-z, 0-9, _ and -, and not of %q", name)
		}
	}
	if k.state, err = shapeOf(d.State, h); err != nil {
		return nil, err
	}
	if h.tagged && d.Key.Kind() != reflect.String {
		return nil, fmt.Errorf("Tagged is for kinds with keys that are strings, and not %v", d.Key)
	}
	if k.keying, err = keyingOf(d); err != nil {
		return nil, err
	}
	for _, o := range operations {
		if o.State != d.State {
			continue
		}
		if o.Form == route.Read {
			k.reads[o.Given] = newOperation(o, nil)
			continue
		}
		if o.Form != route.Run {
			continue
		}
		op := n.ops[o.Name]
		of, _ := heritages.Load(o.Name)
		inherited, _ := of.(*heritage)
		if op == nil {
			op = newOperation(o, inherited)
			n.ops[o.Name] = op
		}
		for _, name := range inherited.names(o.Given) {
			if other := k.ops[name]; other != nil {
				return nil, fmt.Errorf("two operations on %v have the name %s in the store, %s and %s; rename one", d.State, name, other.name, o.Name)
			}
			k.ops[name] = op
		}
	}
	return k, nil
}

func newOperation(d route.Declared, h *heritage) *operation {
	op := &operation{name: d.Name, given: d.Given, state: d.State, reads: d.Form == route.Read}
	op.arg, op.refused = shapeOf(d.Arg, h)
	op.result, op.noResult = codec.Of(d.Result)
	return op
}

// operationOf returns a declared operation on the states of the kind.
func (k *kind) operationOf(name string) (*operation, error) {
	switch o := k.node.ops[name]; {
	case o == nil:
		return nil, fmt.Errorf("%w: operation %s was declared after cluster.Join, or for a state that no durable kind has", ErrNotDurable, shorten(name))
	case k.ops[o.given] != o:
		return nil, fmt.Errorf("%w: operation %s is for states of %v, and kind %s has %v", ErrNotDurable, shorten(name), o.state, k.given, k.state.codec.Type())
	case o.refused != nil:
		return nil, fmt.Errorf("%w: the argument of %s: %w", ErrNotDurable, shorten(name), o.refused)
	default:
		return o, nil
	}
}

// readOf returns a declared operation that only looks at the states of the kind.
func (k *kind) readOf(name string) (*operation, error) {
	for _, o := range k.reads {
		if o.name == name {
			return o, o.refused
		}
	}
	return nil, fmt.Errorf("%w: read %s was declared after cluster.Join, or is for states that kind %s does not have", ErrNotDurable, shorten(name), k.given)
}

// keepsResult returns why results cannot be stored, nil if they can be.
func (o *operation) keepsResult() error {
	if o.noResult == nil {
		return nil
	}
	return fmt.Errorf("%w: the result of %s: %w", ErrNotDurable, shorten(o.name), o.noResult)
}

// kindOf returns the kind of a unit.
func kindOf(u route.Unit[*freerun.Context]) (*kind, error) {
	rt := u.Runtime().(*freerun.Runtime)
	n := nodeOf(rt)
	if n == nil && hasLeft(rt) {
		return nil, fmt.Errorf("cluster: units of kind %s are durable: %w", shorten(u.Kind()), ErrClosed)
	}
	if n == nil {
		return nil, fmt.Errorf("%w: units of kind %s are durable; call cluster.Join before the first message", ErrNoStore, shorten(u.Kind()))
	}
	return n.kindNamed(u.Kind())
}

// kindNamed returns the kind with a full name.
func (n *Node) kindNamed(full string) (*kind, error) {
	k := n.kinds[full]
	if k == nil {
		return nil, fmt.Errorf("%w that has kind %s: it was declared after cluster.Join; declare it as a package variable", ErrNoStore, shorten(full))
	}
	return k, nil
}

// place names the unit of a key, as readKey has it.
func (k *kind) place(text string) route.Place {
	return route.Place{Kind: k.name, Key: func(key any) error { return k.readKey(text, key) }}
}

// recordKey returns the key of the record of a unit.
func (k *kind) recordKey(key any) ([]byte, error) {
	text, err := k.keyText(key)
	return []byte(layout.Records(k.stored) + text), err
}

// encode returns the record of a state, with the unit's timers.
func (k *kind) encode(state any, timers []layout.Timer) ([]byte, error) {
	record, err := k.state.append(layout.Begin(timers, int(k.size.Load())), state)
	if size := int64(len(record)); size != k.size.Load() {
		k.size.Store(size)
	}
	if err != nil {
		err = fmt.Errorf("cluster: a state of kind %s: %w", k.given, err)
	}
	return record, err
}

// decode reads the record of the unit of key.
func (k *kind) decode(key any, record []byte, into any) (timers []layout.Timer, err error) {
	r, err := layout.DecodeRecord(record)
	if err == nil {
		err = k.state.decode(r.State, into)
	}
	if err != nil {
		var migration *migrationError
		if errors.As(err, &migration) || errors.Is(err, ErrNewer) {
			return nil, fmt.Errorf("cluster: the record of unit %v of kind %s: %w", key, k.given, err)
		}
		return nil, fmt.Errorf("%w: the record of unit %v of kind %s: %w", ErrStateLost, key, k.given, err)
	}
	return r.Timers, nil
}
