package freerun

import (
	"slices"
	"strings"

	"github.com/freerun-go/freerun/internal/sched"

	"github.com/freerun-go/freerun/internal/quiesce"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// lineage says where a message comes from: its context key, and the chain of operations that sent
// it. A message has one pointer for both. nil stands for the runtime's own context, without scope
// and priority, where nothing is recorded.
//
// Each context key has a tree of lineages, a calling context tree (G. Ammons, T. Ball and J. Larus,
// Exploiting hardware performance counters with flow and context sensitive profiling, PLDI 1997).
// The root stands for what ordinary goroutines send. Below a node is one node for each operation
// that sends while it runs on behalf of that node. So a chain is recorded once, not with every
// message, and a send in steady state only looks up an existing node. The tree is bounded in depth
// and size; at the bound, a node stands for longer chains too.
type lineage struct {
	key      *contextKey
	sender   *vtable  // of the sending operation; nil in the root
	function uintptr  // the code of the sending operation, if it is a closure
	earlier  *lineage // of the message that the sender runs for; nil where the known chain ends
	// before is the chain that goes on where earlier is nil: that of a message with other values,
	// whose lineage must not be kept. nil for most.
	before *[]string
	depth  int32

	// revocable says that a canceler may fail messages of this lineage before they start, without
	// holding them. It is set for all messages of a scope, and for those sent by Call.
	revocable bool

	below atomics.Pointer[lineage] // newest first, linked by next
	next  *lineage
	named atomics.Pointer[[]string] // the result of names, once computed

	signed *signature // nil for most
}

// signature is a value that is left in the future of a message, whose lineage is its own then:
// internal/spans. So the value is there before the outcome is seen, and no message has a word more.
type signature struct {
	value any
	// after is the lineage of the message once it has left its scope, which it must not keep.
	after lineage
}

// sign returns the lineage of a running message with a signature. Others may read the old one.
func (o *lineage) sign(value any) *lineage {
	s := &signature{value: value}
	s.after.signed = s
	if o == nil {
		return &s.after
	}
	return &lineage{key: o.key, sender: o.sender, function: o.function, earlier: o.earlier, before: o.before, depth: o.depth, revocable: o.revocable, signed: s}
}

// left returns the lineage of a message that has left its scope: none, or only its signature.
func (o *lineage) left() *lineage {
	if o.signed == nil {
		return nil
	}
	return &o.signed.after
}

const (
	mostDeep  = 16  // operations in a chain
	mostNodes = 256 // in the tree of a context key
)

// contextKey stands for one scope, one priority and the same values. It holds what all messages
// with these share: the contexts that they are sent through, and the tree of their lineages.
type contextKey struct {
	scope    *Scope  // nil: no scope
	valued   *valued // nil: no values
	priority sched.Priority
	nodes    atomics.Int32 // in the tree of root
	root     lineage
	outside  atomics.Pointer[Context] // for ordinary goroutines; nil until one asks: outsider
	host     activityHost
	// contexts has one context for each worker, by index. The worker makes it on first use, and
	// alone writes it.
	contexts []atomics.RelaxedPointer[Context]
	// two is the memory of contexts if there are at most two processors.
	two [2]atomics.RelaxedPointer[Context]
}

// newContextKey returns a key without values, with its context for ordinary goroutines: most of
// these keys are of scopes, which are begun by such goroutines.
func newContextKey(rt *Runtime, scope *Scope, priority sched.Priority) *contextKey {
	k := &struct {
		key     contextKey
		outside Context
	}{}
	k.key.init(rt, scope, priority)
	k.outside.become(&rt.outside, &k.key)
	k.key.outside.Store(&k.outside)
	return &k.key
}

func (k *contextKey) init(rt *Runtime, scope *Scope, priority sched.Priority) {
	k.scope, k.priority = scope, priority
	if n := len(rt.scheduler.Processors()); n <= len(k.two) {
		k.contexts = k.two[:n]
	} else {
		k.contexts = make([]atomics.RelaxedPointer[Context], n)
	}
	k.root.key, k.root.revocable = k, scope != nil
	k.host.rt, k.host.key = rt, k
}

// outsider returns the key's context for ordinary goroutines.
func (k *contextKey) outsider() *Context {
	if c := k.outside.Load(); c != nil {
		return c
	}
	c := new(Context)
	c.become(&k.host.rt.outside, k)
	k.outside.CompareAndSwap(nil, c)
	return k.outside.Load()
}

// keyOf returns the context key of a message's lineage, nil for the runtime's own.
func (o *lineage) keyOf() *contextKey {
	if o == nil {
		return nil
	}
	return o.key
}

// scopeOf returns the scope of the key, nil without one.
func (k *contextKey) scopeOf() *Scope {
	if k == nil {
		return nil
	}
	return k.scope
}

// account returns the account of the key's scope, nil without a scope.
func (k *contextKey) account() *quiesce.Account {
	if k == nil || k.scope == nil {
		return nil
	}
	return &k.scope.account
}

// priorityOf returns the priority of the key, Normal for the runtime's own.
func (k *contextKey) priorityOf() sched.Priority {
	if k == nil {
		return sched.Normal
	}
	return k.priority
}

// sends returns the lineage of a message that the operation running on worker w sends through via.
// via is the operation's own context, or derived from it.
func (w *worker) sends(via *Context) *lineage {
	k, c := via.key, w.active.Load()
	if k.scope == nil && k.valued.cameFrom() == nil || c.current == nil {
		return &k.root
	}
	at, earlier, before := &k.root, (*lineage)(nil), (*[]string)(nil)
	if from := c.lineage.Load(); from != nil && from.key != nil {
		switch {
		case from.key == k:
			at, earlier = from, from
		case from.key.scope != k.scope && from.key.scope != k.scope.parent:
			// No other scope: a long-lived scope must not keep a short-lived one alive.
		case from.key.valued == nil || from.key.valued == k.valued:
			earlier = from
		default: // nor what has values what had others: each step of a chain may set some
			before = from.names()
		}
	}
	return at.after(c.kind.Load(), c.function.Load(), earlier, before)
}

// after returns the node below o for a sender that runs on behalf of earlier, or behind the chain
// before. It returns o where the tree has reached its bounds.
func (o *lineage) after(sender *vtable, function uintptr, earlier *lineage, before *[]string) *lineage {
	if sender.name != "" {
		function = 0
	}
	if o.sender == sender && o.function == function {
		return o // recursion is one node
	}
	newest := o.below.Load()
	for n := newest; n != nil; n = n.next {
		if n.sender == sender && n.function == function && n.earlier == earlier && sameNames(n.before, before) {
			return n
		}
	}
	if o.depth >= mostDeep || o.key.nodes.Load() >= mostNodes {
		return o
	}
	n := &lineage{key: o.key, sender: sender, function: function, earlier: earlier, before: before, depth: o.depth + 1, revocable: o.revocable, next: newest}
	o.key.nodes.Add(1)
	o.below.CompareAndSwap(newest, n) // if another node was added, n serves this send only
	return n
}

// chain returns the names of the sending operations, the last sender first. The caller must not
// change the slice. It refers to no lineage, and so keeps no scope from being collected.
func (o *lineage) chain() []string {
	if names := o.names(); names != nil {
		return *names
	}
	return nil
}

// names returns the chain, nil for none. Behind what is known here are the senders on other
// machines.
func (o *lineage) names() *[]string {
	came := o.keyOf().valuedOf().cameFrom()
	if o == nil || o.sender == nil {
		return came
	}
	if names := o.named.Load(); names != nil {
		return names
	}
	var names []string
	for at := o; at != nil && at.sender != nil && len(names) < mostDeep; at = at.earlier {
		name := at.sender.name
		if name == "" {
			name = functionName(at.function)
		}
		names = append(names, name)
		if at.before != nil { // which goes on to the end
			came = at.before
		}
	}
	if came != nil {
		names = append(names, (*came)[:min(len(*came), mostDeep-len(names))]...)
	}
	o.named.Store(&names)
	return &names
}

// sameNames reports whether two chains are equal. nil is none.
func sameNames(a, b *[]string) bool {
	return a == b || a != nil && b != nil && slices.Equal(*a, *b)
}

// report appends the scope and the senders of a message to the arguments of a log entry.
func (o *lineage) report(args []any) []any {
	if x := o.keyOf().scopeOf(); x != nil && x.Name() != "" {
		args = append(args, "scope", x.Name())
	}
	if names := o.chain(); names != nil {
		args = append(args, "senders", strings.Join(names, ", "))
	}
	return args
}
