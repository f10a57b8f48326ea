package mailbox

import (
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
)

// The forms of a mailbox that Queue was chosen from, with the benchmark that chose it:
// docs/adr/0002-mailbox.md.

// ownerQueue is the interface that the forms have in common. dequeue returns nil when the caller is
// no longer the owner.
type ownerQueue interface {
	enqueue(n *formNode) (owner bool)
	dequeue() *formNode
}

type formNode struct {
	Node
	link atomic.Pointer[formNode] // for waitingList, whose links are shared
}

// seenList is Queue.
type seenList struct{ m Queue }

func (q *seenList) enqueue(n *formNode) bool { return q.m.Enqueue(&n.Node) }
func (q *seenList) dequeue() *formNode {
	if n := q.m.Dequeue(); n != nil {
		return formOf(n)
	}
	return nil
}

// swapList takes the whole list with a swap that leaves the mark owned, and gives up by
// compare-and-swap from the mark.
type swapList struct {
	head atomic.Pointer[Node]
	todo *Node
}

var owned Node

func (q *swapList) enqueue(n *formNode) bool {
	for {
		h := q.head.Load()
		n.next.Set(h)
		if q.head.CompareAndSwap(h, &n.Node) {
			return h == nil
		}
	}
}

func (q *swapList) dequeue() *formNode {
	for q.todo == nil {
		taken := q.head.Swap(&owned)
		for taken != nil && taken != &owned {
			older := taken.next.Get()
			taken.next.Set(q.todo)
			q.todo, taken = taken, older
		}
		if q.todo == nil && q.head.CompareAndSwap(&owned, nil) {
			return nil
		}
	}
	n := q.todo
	q.todo = n.next.Get()
	return formOf(n)
}

// waitingList links by swapping the tail; an owner that meets a node whose successor is not linked
// yet leaves a mark there and gives up, and the producer that finds the mark is the owner.
type waitingList struct {
	tail  atomic.Pointer[formNode]
	first *formNode // the owner's: enqueued when idle, not handed out yet
	last  *formNode // the owner's: handed out last
}

var waiting formNode

func (q *waitingList) enqueue(n *formNode) bool {
	n.link.Store(nil)
	before := q.tail.Swap(n)
	if before == nil {
		q.first = n
		return true
	}
	return before.link.Swap(n) == &waiting
}

func (q *waitingList) dequeue() *formNode {
	if n := q.first; n != nil {
		q.first, q.last = nil, n
		return n
	}
	last := q.last
	next := last.link.Load()
	if next == nil {
		if q.tail.CompareAndSwap(last, nil) || last.link.CompareAndSwap(nil, &waiting) {
			return nil
		}
		next = last.link.Load()
	}
	q.last = next
	return next
}

func formOf(n *Node) *formNode { return (*formNode)(unsafe.Pointer(n)) }

var forms = map[string]func() ownerQueue{
	"seen":    func() ownerQueue { return &seenList{} },
	"swap":    func() ownerQueue { return &swapList{} },
	"waiting": func() ownerQueue { return &waitingList{} },
}

// TestForms holds the rejected forms to the same contract, or the benchmark would compare what does
// not work.
func TestForms(t *testing.T) {
	const producers, each = 4, 20000
	for name, make := range forms {
		q := make()
		var owners atomic.Int32
		var got atomic.Int64
		var all sync.WaitGroup
		for range producers {
			all.Go(func() {
				for range each {
					if !q.enqueue(&formNode{}) {
						continue
					}
					if owners.Add(1) != 1 {
						t.Errorf("%s: two owners", name)
					}
					// owners falls before the dequeue that may give up, and rises again if it did
					// not.
					for {
						owners.Add(-1)
						if q.dequeue() == nil {
							break
						}
						owners.Add(1)
						got.Add(1)
					}
				}
			})
		}
		all.Wait()
		if got.Load() != producers*each {
			t.Errorf("%s: %d of %d", name, got.Load(), producers*each)
		}
	}
}

// BenchmarkForms: handoff is one message each time that the mailbox is idle, batch is 64, contended
// is two producers that run what they own. ns per message. The paper's own form, queue.Owner, has
// its benchmark in its package.
func BenchmarkForms(b *testing.B) {
	for _, name := range []string{"seen", "swap", "waiting"} {
		b.Run("handoff/"+name, func(b *testing.B) {
			q, n := forms[name](), &formNode{}
			for range b.N {
				q.enqueue(n)
				for q.dequeue() != nil {
				}
			}
		})
		b.Run("batch/"+name, func(b *testing.B) {
			q := forms[name]()
			nodes := make([]formNode, 64)
			for i := 0; i < b.N; i += len(nodes) {
				for k := range nodes {
					q.enqueue(&nodes[k])
				}
				for q.dequeue() != nil {
				}
			}
		})
		b.Run("contended/"+name, func(b *testing.B) {
			q := forms[name]()
			b.SetParallelism(1)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if q.enqueue(&formNode{}) {
						for q.dequeue() != nil {
						}
					}
				}
			})
		})
	}
}
