package freerun

import (
	"context"
	"fmt"
	"reflect"

	"github.com/freerun-go/freerun/internal/sched"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// Values travel with messages as scope and priority do: the key of a context has them, each message
// that is sent through the context has the key, and the operation that the message runs gets a
// context with that key. So a message without values carries nothing, and does nothing, for them.

// WithValue returns a context for sends from where c is, with c's scope and priority, that carries
// value under key. All that follows from those sends has the value too: [Context.Value] finds it in
// the operation that receives the message, in what that sends and begins (continuations, timers,
// activities, branches of joins), and so on. A key that is set again has the new value from there
// on, and takes no further room. The value is passed on as it is: it must be safe for use by
// several goroutines at the same time, and ought not to change.
//
//	type tenant struct{} // keys are of types of one's own, as for context.WithValue
//
//	place.Tell(c.WithValue(tenant{}, "acme"), book, order)
//	…
//	name, _ := c.Value(tenant{}).(string) // in place, and in all that follows from it
//
// Values belong to what is sent, not to units: an operation has those of its message, whatever unit
// it runs on. The function that makes the state of a unit of a [Kind] serves all who will send to
// the unit; so it has none, as it is in no scope. [Scope.Context] and [Runtime.Context] have none
// of these values either; [Context.WithScope] and [Context.WithPriority] keep c's. A scope that
// [Runtime.Scope] makes with c has c's values, below those that are set in the scope.
//
// An operation that calls WithValue on its own context sends through the result on the fast path.
// Any goroutine may call it; it does not wait. Cost: an allocation of some 500 bytes, one more if
// there are more than two values or more than two processors, and one for each further processor on
// which what follows runs: take one context for all sends with the same values. Value looks at one
// value after another. WithValue panics if key is nil or cannot be compared.
func (c *Context) WithValue(key, value any) *Context {
	if key == nil {
		panic("freerun: WithValue with a nil key")
	}
	if !isComparable(key) {
		panic(fmt.Sprintf("freerun: WithValue with a key that cannot be compared, a %T", key))
	}
	return c.checked().withValues(contextValue{key, value})
}

// CarryValues names keys whose values [Operation.Call] and [Keyed.Submit] take from the context
// that they are given, for the message and all that follows from it: a trace, a tenant, what a
// handler has put into the context of its request. Other values of such a context stay behind, so
// that a message does not keep a whole request from being collected. A key without a value costs
// nothing but the search; with one, a call costs what [Context.WithValue] does. It panics if a key
// is nil or cannot be compared.
func CarryValues(keys ...any) Option {
	for i, key := range keys {
		if key == nil || !isComparable(key) {
			panic(fmt.Sprintf("freerun: CarryValues with a key that is nil or cannot be compared, the one with index %d", i))
		}
	}
	return Option{func(s *settings) { s.carried = append(s.carried, keys...) }}
}

// isComparable reports whether a key can be compared. reflect alone would allocate for each struct.
func isComparable(key any) bool {
	t := reflect.TypeOf(key)
	return t.Comparable() && (!holdsInterface(t) || reflect.ValueOf(key).Comparable())
}

// contextValue is one value that travels.
type contextValue struct{ key, value any }

// valued is what the context keys of one scope with the same values have in common.
type valued struct {
	scope  *Scope         // nil: no scope
	values []contextValue // the newest first; never changed
	// came is the chain of senders of a message that has come from another machine, and of all that
	// is sent for it; nil for others. It is one of the values, under cameKey.
	came *[]string
	// keys has the context keys by priority. Each is made on demand.
	keys  [priorities]atomics.Pointer[contextKey]
	first contextKey // the memory of one of them
}

// value returns the value for key.
func (v *valued) value(key any) (value any, found bool) {
	if v != nil {
		for i := range v.values {
			if v.values[i].key == key {
				return v.values[i].value, true
			}
		}
	}
	return nil, false
}

// cameKey is the key of the senders on other machines.
type cameKey struct{}

// cameFrom returns the names of the senders on other machines, nil without any.
func (v *valued) cameFrom() *[]string {
	if v == nil {
		return nil
	}
	return v.came
}

// carried returns the value for key that travels with c.
func carried(c *Context, key any) (value any, found bool) { return c.key.valuedOf().value(key) }

// key returns the context key with priority p.
func (v *valued) key(rt *Runtime, p sched.Priority) *contextKey {
	if k := v.keys[p].Load(); k != nil {
		return k
	}
	k := &contextKey{valued: v}
	k.init(rt, v.scope, p)
	v.keys[p].CompareAndSwap(nil, k)
	return v.keys[p].Load()
}

// newValued returns a new set of context keys, with the one of priority p.
func newValued(rt *Runtime, s *Scope, p sched.Priority, values []contextValue) *valued {
	v := &valued{}
	v.start(rt, s, p, values)
	return v
}

// start makes v a set of context keys with the one of priority p, and returns that.
func (v *valued) start(rt *Runtime, s *Scope, p sched.Priority, values []contextValue) *contextKey {
	v.scope, v.values, v.first.valued = s, values, v
	if came, found := v.value(cameKey{}); found {
		v.came = came.(*[]string)
	}
	v.first.init(rt, s, p)
	v.keys[p].Store(&v.first)
	return &v.first
}

// freshValued is the memory of what WithValue makes: one allocation.
type freshValued struct {
	valued  valued
	few     [2]contextValue // its values, if there are no more
	context Context         // of the worker that makes it, for the first key
}

// valuedOf returns what the key's values are in, nil without values.
func (k *contextKey) valuedOf() *valued {
	if k == nil {
		return nil
	}
	return k.valued
}

// isShort reports whether the key is that of a scope, or has values: it lives no longer than what
// uses it.
func (k *contextKey) isShort() bool { return k != nil && (k.scope != nil || k.valued != nil) }

// withValues returns the context with more values beside those of c. A new value takes the place of
// one with the same key.
func (c *Context) withValues(more ...contextValue) *Context {
	f := &freshValued{}
	values := append(f.few[:0], more...)
	if v := c.key.valuedOf(); v != nil {
		for _, old := range v.values {
			if !hasKey(more, old.key) {
				values = append(values, old)
			}
		}
	}
	k := f.valued.start(c.rt, c.Scope(), c.priority(), values)
	if w := c.here(); w.processor != nil && w.processor.Index() < len(k.contexts) {
		f.context.become(w, k)
		k.contexts[w.processor.Index()].Store(&f.context)
	}
	return c.onward(k)
}

func hasKey(values []contextValue, key any) bool {
	for i := range values {
		if values[i].key == key {
			return true
		}
	}
	return false
}

// keyFor returns the context key with scope s, priority p and the values of k.
func (k *contextKey) keyFor(rt *Runtime, s *Scope, p sched.Priority) *contextKey {
	switch v := k.valuedOf(); {
	case v == nil:
		return rt.keyOf(s, p)
	case v.scope == s:
		return v.key(rt, p)
	default:
		return newValued(rt, s, p, v.values).key(rt, p)
	}
}

// carrying returns the context with the values of ctx that the runtime's CarryValues names.
func (c *Context) carrying(ctx context.Context) *Context {
	var found []contextValue
	for _, key := range c.rt.carried {
		if v := ctx.Value(key); v != nil && !hasKey(found, key) {
			found = append(found, contextValue{key, v})
		}
	}
	if found == nil {
		return c
	}
	return c.withValues(found...)
}

// valuesOnly is the context of package context from which a scope gets the values of a Context that
// is of no scope, and nothing else. Such a Context ends with the runtime, and so does each scope.
type valuesOnly struct {
	context.Context // context.Background()
	of              *valued
}

func (v valuesOnly) Value(key any) any {
	value, _ := v.of.value(key)
	return value
}
