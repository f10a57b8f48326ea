package cluster

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"unicode/utf8"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/codec"
	"github.com/freerun-go/freerun/cluster/internal/layout"
	"github.com/freerun-go/freerun/internal/route"
)

// What is stored names kinds and operations as their declarations do, without the package: so a
// declaration may move to another package.

// kind is a durable kind, in one runtime.
type kind struct {
	node  *Node
	name  string // the full one
	given string // the stored one
	key   reflect.Type
	state *codec.Codec
	keys  *codec.Codec // nil for keys that are strings or integers
	ops   map[string]*operation
	// active returns how many units are in memory.
	active func(rt any) int
}

// operation is an operation that takes the states of a durable kind.
type operation struct {
	name  string // the full one
	given string // the stored one
	arg   *codec.Codec
	// refused says why arguments cannot be stored; nil if they can be.
	refused error
}

// storable are the names of kinds in a store: those that stores of all sorts can have.
var storable = regexp.MustCompile(`^[a-z0-9_-]+$`)

// mostKey is how long a key may be, in bytes, once encoded.
const mostKey = 512

// names finds all durable kinds, and their operations.
func (n *Node) names() error {
	n.kinds, n.stored, n.ops = map[string]*kind{}, map[string]*kind{}, map[string]*operation{}
	operations := seam.Operations()
	var all []error
	for _, d := range seam.Kinds() {
		if _, ours := d.Store.(durable); !ours {
			continue
		}
		k, err := n.newKind(d, operations)
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
	if other := n.stored[k.given]; other != nil {
		return fmt.Errorf("two durable kinds have this name in the store, %s and %s; rename one", other.name, k.name)
	}
	n.kinds[k.name], n.stored[k.given] = k, k
	return nil
}

func (n *Node) newKind(d route.Declared, operations []route.Declared) (k *kind, err error) {
	k = &kind{node: n, name: d.Name, given: d.Given, key: d.Key, active: d.Active, ops: map[string]*operation{}}
	if !storable.MatchString(d.Given) {
		return nil, errors.New("the name of a durable kind consists of a-z, 0-9, _ and -")
	}
	if k.state, err = codec.Of(d.State); err != nil {
		return nil, err
	}
	if !plainKey(d.Key) {
		if k.keys, err = codec.Of(d.Key); err != nil {
			return nil, fmt.Errorf("the keys: %w", err)
		}
	}
	for _, o := range operations {
		if o.State != d.State || o.Form != route.Run {
			continue
		}
		if other := k.ops[o.Given]; other != nil {
			return nil, fmt.Errorf("two operations on %v have the name %s in the store, %s and %s; rename one", d.State, o.Given, other.name, o.Name)
		}
		op := n.ops[o.Name]
		if op == nil {
			op = &operation{name: o.Name, given: o.Given}
			op.arg, op.refused = codec.Of(o.Arg)
			n.ops[o.Name] = op
		}
		k.ops[o.Given] = op
	}
	return k, nil
}

// kindOf returns the kind of a unit.
func kindOf(u route.Unit[*freerun.Context]) (*kind, error) {
	n := nodeOf(u.Runtime().(*freerun.Runtime))
	if n == nil {
		return nil, fmt.Errorf("%w: units of kind %s are durable; call cluster.Join before the first message", ErrNoStore, shorten(u.Kind()))
	}
	k := n.kinds[u.Kind()]
	if k == nil {
		return nil, fmt.Errorf("%w that has kind %s: it was declared after cluster.Join; declare it as a package variable", ErrNoStore, shorten(u.Kind()))
	}
	return k, nil
}

// plainKey reports whether keys of a type are stored as their text.
func plainKey(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return true
	}
	return false
}

// keyText returns a key as it is stored.
func (k *kind) keyText(key any) (string, error) {
	var text string
	switch v := reflect.ValueOf(key); {
	case k.keys != nil:
		at := reflect.New(k.key)
		at.Elem().Set(v)
		b, err := k.keys.Append(nil, at.Interface())
		if err != nil {
			return "", fmt.Errorf("cluster: the key %v of kind %s: %w", key, k.given, err)
		}
		text = string(b)
	case v.Kind() == reflect.String:
		if text = v.String(); !utf8.ValidString(text) {
			return "", fmt.Errorf("cluster: the key %q of kind %s is not UTF-8", text, k.given)
		}
	case v.CanInt():
		text = strconv.FormatInt(v.Int(), 10)
	default:
		text = strconv.FormatUint(v.Uint(), 10)
	}
	if len(text) > mostKey {
		return "", fmt.Errorf("cluster: the key %.40q… of kind %s has %d bytes; a key of a durable unit has at most %d", text, k.given, len(text), mostKey)
	}
	return text, nil
}

// readKey decodes a key into at, a pointer.
func (k *kind) readKey(text string, at any) error {
	v := reflect.ValueOf(at).Elem()
	switch {
	case k.keys != nil:
		return k.keys.Decode([]byte(text), at)
	case v.Kind() == reflect.String:
		v.SetString(text)
		return nil
	case v.CanInt():
		n, err := strconv.ParseInt(text, 10, v.Type().Bits())
		v.SetInt(n)
		return err
	}
	n, err := strconv.ParseUint(text, 10, v.Type().Bits())
	v.SetUint(n)
	return err
}

// recordKey returns the key of the record of a unit.
func (k *kind) recordKey(key any) ([]byte, error) {
	text, err := k.keyText(key)
	return []byte(layout.Records(k.given) + text), err
}

// encode returns the record of a state.
func (k *kind) encode(state any) ([]byte, error) {
	record, err := k.state.Append([]byte{layout.Version}, state)
	if err != nil {
		err = fmt.Errorf("cluster: a state of kind %s: %w", k.given, err)
	}
	return record, err
}

// decode reads the record of the unit of key.
func (k *kind) decode(key any, record []byte, into any) error {
	stored, err := layout.StateOf(record)
	if err == nil {
		err = k.state.Decode(stored, into)
	}
	if err != nil {
		err = fmt.Errorf("%w: the record of unit %v of kind %s: %w", ErrStateLost, key, k.given, err)
	}
	return err
}
