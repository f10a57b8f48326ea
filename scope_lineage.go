package freerun

import (
	"strings"

	"github.com/freerun-go/freerun/internal/quiesce"
	"github.com/freerun-go/freerun/internal/sync/atomics"
)

// origin is where a message comes from: its realm, and the chain of operations that sent it. A letter has one pointer for all of
// it; nil is the runtime's own realm, without scope and priority, where nothing is recorded.
//
// Each realm has a tree of them, the root for what ordinary goroutines send, and below a node one for each operation that sends
// while it runs on behalf of that node. So a chain is recorded once, not with every message, and a send in steady state only
// looks for the node that is there. The tree is bounded in depth and size: beyond, nodes stand for longer chains (a calling context tree: G.
// Ammons, T. Ball and J. Larus, Exploiting hardware performance counters with flow and context sensitive profiling, PLDI 1997).
type lineage struct {
	key      *contextKey
	sender   *vtable  // of the operation that sends; nil in the root
	function uintptr  // its code, for a closure
	earlier  *lineage // of the message that this operation runs for; nil at the end of what is known
	depth    int32

	// revocable says that messages of this origin are canceled before they start by those who are not their holders: all of a
	// scope, and those that Call has sent.
	revocable bool

	below atomics.Pointer[lineage] // newest first, linked by next
	next  *lineage
	names atomics.Pointer[[]string] // what chain has found
}

const (
	mostDeep  = 16  // operations in a chain
	mostNodes = 256 // in the tree of a realm
)

// realm is what messages with the same scope and the same priority have in common: the contexts that they are run with.
type contextKey struct {
	scope    *Scope // nil: the runtime's own
	priority Priority
	nodes    atomics.Int32 // in the tree of root
	root     lineage
	outside  Context // for ordinary goroutines
	tenant   activityHost
	// contexts are the seats', by index, each made by its seat when it is needed first, and written by it alone.
	contexts []atomics.RelaxedPointer[Context]
	two      [2]atomics.RelaxedPointer[Context] // contexts, if there are few processors
}

func newContextKey(rt *Runtime, scope *Scope, priority Priority) *contextKey {
	r := &contextKey{}
	r.init(rt, scope, priority)
	return r
}

func (r *contextKey) init(rt *Runtime, scope *Scope, priority Priority) {
	r.scope, r.priority = scope, priority
	if n := len(rt.scheduler.Processors()); n <= len(r.two) {
		r.contexts = r.two[:n]
	} else {
		r.contexts = make([]atomics.RelaxedPointer[Context], n)
	}
	r.root.key, r.root.revocable = r, scope != nil
	r.tenant.rt, r.tenant.key = rt, r
	r.outside.rt, r.outside.key = rt, r
	r.outside.worker.Store(&rt.outside)
}

// realmOf returns the realm of a letter's origin, nil for the runtime's own.
func (o *lineage) keyOf() *contextKey {
	if o == nil {
		return nil
	}
	return o.key
}

// scopeOf returns the realm's scope, nil if it has none.
func (r *contextKey) scopeOf() *Scope {
	if r == nil {
		return nil
	}
	return r.scope
}

// account returns that of the realm's scope, nil if it has none.
func (r *contextKey) account() *quiesce.Account {
	if r == nil || r.scope == nil {
		return nil
	}
	return &r.scope.account
}

// priorityOf returns the realm's priority, Normal for the runtime's own.
func (r *contextKey) priorityOf() Priority {
	if r == nil {
		return Normal
	}
	return r.priority
}

// sends returns the origin of what operation c, which runs on seat s, sends through via. via is c, or made from it.
func (s *worker) sends(via *Context) *lineage {
	r, c := via.key, s.active.Load()
	if r.scope == nil || c.current == nil {
		return &r.root
	}
	at, earlier := &r.root, (*lineage)(nil)
	if from := c.lineage.Load(); from != nil && from.key != nil {
		switch {
		case from.key == r:
			at, earlier = from, from
		case from.key.scope == r.scope, from.key.scope == r.scope.parent: // a shorter scope must not be kept by a longer one
			earlier = from
		}
	}
	return at.after(c.kind.Load(), c.function.Load(), earlier)
}

// after returns the node below o of an operation that runs for earlier; o if there are too many.
func (o *lineage) after(sender *vtable, function uintptr, earlier *lineage) *lineage {
	if sender.name != "" {
		function = 0
	}
	if o.sender == sender && o.function == function {
		return o // recursion is one node
	}
	newest := o.below.Load()
	for n := newest; n != nil; n = n.next {
		if n.sender == sender && n.function == function && n.earlier == earlier {
			return n
		}
	}
	if o.depth >= mostDeep || o.key.nodes.Load() >= mostNodes {
		return o
	}
	n := &lineage{key: o.key, sender: sender, function: function, earlier: earlier, depth: o.depth + 1, revocable: o.revocable, next: newest}
	o.key.nodes.Add(1)
	o.below.CompareAndSwap(newest, n) // in vain if another was added: then this one serves once
	return n
}

// chain returns the names of the operations that sent, the last one first. The caller must not change them. They keep no origin, and so no scope.
func (o *lineage) chain() []string {
	if o == nil || o.sender == nil {
		return nil
	}
	if names := o.names.Load(); names != nil {
		return *names
	}
	var names []string
	for at := o; at != nil && at.sender != nil && len(names) < mostDeep; at = at.earlier {
		name := at.sender.name
		if name == "" {
			name = functionName(at.function)
		}
		names = append(names, name)
	}
	o.names.Store(&names)
	return names
}

// report adds to what is logged of a message where it came from.
func (o *lineage) report(args []any) []any {
	if o.keyOf().scopeOf() == nil {
		return args
	}
	if name := o.key.scope.Name(); name != "" {
		args = append(args, "scope", name)
	}
	if names := o.chain(); names != nil {
		args = append(args, "senders", strings.Join(names, ", "))
	}
	return args
}
