//go:build !wasm

package cluster

import (
	"fmt"
	"reflect"
)

// types reads values for those who look into a store.
type types struct{ node *Node }

// State implements inspect.Types.
func (t types) State(kind string, value []byte) (string, error) {
	k := t.node.stored[kind]
	if k == nil {
		return "", fmt.Errorf("this program has no kind %s", kind)
	}
	return k.state.text(value)
}

// Arg implements inspect.Types.
func (t types) Arg(kind, operation string, value []byte) (string, error) {
	if k := t.node.stored[kind]; k != nil && k.ops[operation] != nil && k.ops[operation].arg != nil {
		return k.ops[operation].arg.text(value)
	}
	return "", fmt.Errorf("this program has no operation %s for kind %s", operation, kind)
}

// text returns a value for people.
func (s *shape) text(value []byte) (string, error) {
	at := reflect.New(s.codec.Type())
	if err := s.decode(value, at.Interface()); err != nil {
		return "", err
	}
	return fmt.Sprintf("%+v", at.Elem().Interface()), nil
}
