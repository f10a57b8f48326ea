package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"github.com/freerun-go/freerun"
	"github.com/freerun-go/freerun/cluster/internal/engine"
	"github.com/freerun-go/freerun/cluster/internal/layout"
)

// Node is a runtime that has joined a store: its durable units have their states there. Any
// goroutine may call the methods.
type Node struct {
	rt     *freerun.Runtime
	engine engine.Engine    // nil with shared
	shared *shared          // the units are shared with other machines; nil with engine
	id     [16]byte         // of the store
	kinds  map[string]*kind // by their full names
	stored map[string]*kind // by their names in the store, also earlier ones
	ops    map[string]*operation
	// volatile are the kinds that machines share and that are not durable, by their full names, and
	// called by the names of their declarations.
	volatile, called map[string]*volatileKind
	outbox           outbox
	ends             ends
	wakes            wakes
	sweeps           atomic.Bool // a sweep of outcomes is to come
	// handled has the numbers of the failures that a call retries or drops now.
	handled sync.Map
	opening time.Duration // how long Join took
	hide    func()        // ends the show of the figures
}

// Store is where durable units have their states: see [Local], and package nats below this one for
// units that several machines share. Programs do not implement it.
type Store interface {
	// open gives the node its engine, or what it shares.
	open(n *Node) error
}

var nodes sync.Map // *freerun.Runtime → *Node

// nodeOf returns the node of a runtime, nil if it has joined no store.
func nodeOf(rt *freerun.Runtime) *Node {
	n, _ := nodes.Load(rt)
	node, _ := n.(*Node)
	return node
}

// departed has the runtimes whose nodes are closed, for as long as anything knows them.
var departed sync.Map // weak.Pointer[freerun.Runtime] → nothing

// leaves notes that a runtime has left its store.
func leaves(rt *freerun.Runtime) {
	w := weak.Make(rt)
	departed.Store(w, nil)
	runtime.AddCleanup(rt, func(w weak.Pointer[freerun.Runtime]) { departed.Delete(w) }, w)
}

// hasLeft reports whether a runtime has left its store.
func hasLeft(rt *freerun.Runtime) bool {
	_, there := departed.Load(weak.Make(rt))
	return there
}

// errOpening is in place of a node that is about to join.
var errOpening = errors.New("cluster: the runtime has joined a store already")

// Join gives the durable units of rt a store. Call it before the first message to one of them, when
// all kinds are declared, as package variables are. What was told to durable units and had no
// effect when the last process ended is delivered now. If two processes end while the same message
// is delivered, it becomes a recorded failure ([Node.Failures]): an operation that ends the process
// ends the one that told it, and two more.
//
// Join waits for the store, and where that is on servers until rt drains: so a Shutdown or a Close
// of rt ends it. It fails if the store cannot be opened, as [Local] says; if a kind or an operation
// cannot be stored, or two have the same name there; if the store has messages or timers that this
// program has no name for, or a newer program has given a kind another name ([ErrNewer]); and if rt
// has joined a store before, or has ended. States of kinds that the program does not have stay as
// they are. A runtime that ends leaves the store open: close the node after
// [freerun.Runtime.Shutdown].
func Join(rt *freerun.Runtime, s Store) (*Node, error) {
	if rt == nil || s == nil {
		panic("cluster: Join with a nil runtime or store")
	}
	if hasLeft(rt) {
		return nil, errOpening
	}
	if _, joined := nodes.LoadOrStore(rt, errOpening); joined {
		return nil, errOpening
	}
	n := &Node{rt: rt}
	if err := n.join(s); err != nil {
		nodes.Delete(rt)
		return nil, err
	}
	return n, nil
}

func (n *Node) join(s Store) error {
	began := time.Now()
	select {
	case <-n.rt.Draining():
		return fmt.Errorf("cluster: Join: %w", freerun.ErrClosed)
	default:
	}
	err := n.names()
	if err == nil {
		n.volatile, n.called, err = volatileKinds(seam.Kinds(), seam.Operations())
	}
	if err != nil {
		return err
	}
	if err := s.open(n); err != nil {
		return err
	}
	n.ends.node, n.outbox.node, n.outbox.lines.queues, n.wakes.node = n, n, map[string]*queue{}, n
	if n.shared != nil {
		err = n.shared.begin()
	} else {
		err = n.begin()
	}
	if err == nil {
		n.show(began)
	}
	return err
}

// begin begins with the store of one process.
func (n *Node) begin() error {
	n.isIn(n.engine)
	left, notes, err := []*delivery(nil), map[uint64]suspicion(nil), n.rename()
	if err == nil {
		left, notes, err = n.outbox.begin()
	}
	if err != nil {
		return errors.Join(err, n.engine.Close())
	}
	nodes.Store(n.rt, n)
	if err := n.wakes.begin(); err != nil {
		nodes.Delete(n.rt)
		return errors.Join(err, n.engine.Close())
	}
	n.outbox.counts.joined = time.Now()
	n.outbox.replay(left, notes)
	n.sweepAfter(leastPause) // of what earlier processes have stored
	return nil
}

// isIn notes the identity of the store, if it has one.
func (n *Node) isIn(store any) {
	if named, ok := store.(interface{ ID() [16]byte }); ok {
		n.id = named.ID()
	}
}

// Close closes the store, once all writes are done that have begun. Call it after
// [freerun.Runtime.Shutdown]: durable units fail with [ErrClosed] from then on. Where machines
// share the units, call it before: others take what this machine has, in two seconds at most, and
// it waits for operations on volatile units that it has taken, ten at most; after one second it
// logs which. A second Close returns nil. It waits.
func (n *Node) Close() error {
	if n.shared != nil {
		n.shared.leave.Do(n.shared.leaves)
	}
	if nodeOf(n.rt) != n {
		return nil
	}
	leaves(n.rt) // before it is not there
	if !nodes.CompareAndDelete(n.rt, n) {
		return nil
	}
	n.hide()
	if n.shared != nil {
		return n.shared.close()
	}
	return errors.Join(n.outbox.forget(), n.engine.Close())
}

// Backup writes a copy of the store, as it is at one instant, and returns the number of its bytes.
// The units go on meanwhile. The copy is a store: as the file freerun.store in a folder of its own,
// [Local] opens it, and it goes on from that instant. Two programs that go on from copies of one
// store know nothing of each other. A copy has damage that the store has; opening it finds what
// opening the store would find.
//
// Backup waits for the disk and for w. It fails with [ErrClosed] on a node that is closed, and when
// w does.
func (n *Node) Backup(w io.Writer) (int64, error) {
	store, ok := n.engine.(interface {
		Backup(w io.Writer) (int64, error)
	})
	if !ok {
		return 0, errors.New("cluster: this store has no backups of its own")
	}
	return store.Backup(w)
}

// Keys returns the keys of the units of a kind that have a stored state, in the order in which they
// are stored: keys that are strings by their bytes, others by their text. If prefix is not empty,
// those whose text begins so. An error is the last that the loop gets.
//
// The loop reads parts of the store, one after another, and may do as it likes in between. A unit
// whose state is stored for the first time, or forgotten, while it runs may be in it or not; all
// others are in it once. Where machines share the units they come partition by partition, and the
// loop ends with [ErrUncertain] if the store does not answer for 30 seconds.
func Keys[K comparable, S any](n *Node, of *freerun.Kind[K, S], prefix string) iter.Seq2[K, error] {
	return func(yield func(K, error) bool) {
		k := n.kinds[freerun.NameOf(of)]
		if k == nil {
			yield(*new(K), fmt.Errorf("%w that has kind %s: it is not durable, or was declared after Join", ErrNoStore, freerun.NameOf(of)))
			return
		}
		each := func(text string) (more bool, err error) {
			var key K
			if err := k.readKey(text, &key); err != nil {
				return false, fmt.Errorf("%w: a key of kind %s: %w", ErrStateLost, k.given, err)
			}
			return yield(key, nil), nil
		}
		err := error(nil)
		if n.shared != nil {
			err = n.shared.keys(k, prefix, each)
		} else {
			begins := layout.Records(k.stored)
			err = n.scanParts(begins+prefix, false, func(at, _ []byte) (more bool, err error) {
				return each(string(at[len(begins):]))
			})
		}
		if err != nil {
			yield(*new(K), err)
		}
	}
}

// scanParts is scan for a loop of the program: the store does not wait for it, as it is read in
// parts. Values are nil unless they are wanted.
func (n *Node) scanParts(prefix string, values bool, each func(key, value []byte) (more bool, err error)) error {
	var after []byte
	for {
		var part []engine.Write
		end := n.engine.Scan([]byte(prefix), after, func(key, value []byte) error {
			e := engine.Write{Key: bytes.Clone(key)}
			if values {
				e.Value = bytes.Clone(value)
			}
			if part = append(part, e); len(part) == mostOfPart {
				return errEnough
			}
			return nil
		})
		for _, e := range part {
			if more, err := each(e.Key, e.Value); err != nil || !more {
				return err
			}
		}
		if end != errEnough {
			return end
		}
		after = part[len(part)-1].Key
	}
}

// mostOfPart is how many entries are read at once for a loop of the program.
const mostOfPart = 256

// errEnough ends a Scan.
var errEnough = errors.New("")

// scan calls each with the entries whose keys begin with prefix, until it wants no more, or returns
// an error, which scan returns.
func (n *Node) scan(prefix string, each func(key, value []byte) (more bool, err error)) error {
	err := n.engine.Scan([]byte(prefix), nil, func(key, value []byte) error {
		if more, err := each(key, value); err != nil || more {
			return err
		}
		return errEnough
	})
	if err == errEnough {
		return nil
	}
	return err
}
