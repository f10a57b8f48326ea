package queue

import (
	"strings"
	"testing"
)

// The tests of this file stop one call between two of its steps, by hand, and hold what owner.go
// says of the progress of the others meanwhile.

// linkOnly is Enqueue up to and including L3: the node is in the list, tail has not been pushed,
// nothing is counted.
func linkOnly[T any](t *testing.T, q *Owner[T], v T) {
	t.Helper()
	n := &ownerNode[T]{}
	n.value.Set(v)
	if !q.node(q.tail.Load()).next.CompareAndSwap(nil, n) {
		t.Fatal("tail is not at the last node")
	}
}

func take(t *testing.T, q *Owner[int], want int, wantEmpty bool) {
	t.Helper()
	if v, isEmpty := q.Dequeue(); v != want || isEmpty != wantEmpty {
		t.Errorf("Dequeue = %d, %v, want %d, %v", v, isEmpty, want, wantEmpty)
	}
}

// TestOwnerFrozenAfterLinking stops an Enqueue before it pushes tail. The others push it, whether
// they enqueue or dequeue first.
func TestOwnerFrozenAfterLinking(t *testing.T) {
	t.Run("others enqueue first", func(t *testing.T) {
		var q Owner[int]
		linkOnly(t, &q, 1)
		if !q.Enqueue(2) {
			t.Error("the only call that has counted is not the owner")
		}
		take(t, &q, 1, true)
		if !q.countIn() { // the frozen call goes on
			t.Error("the frozen call does not become the owner of the item left")
		}
		take(t, &q, 2, true)
	})
	t.Run("the owner dequeues past it", func(t *testing.T) {
		var q Owner[int]
		q.Enqueue(1)
		linkOnly(t, &q, 2)
		q.countIn()
		take(t, &q, 1, false)
		take(t, &q, 2, true) // leaves tail behind head unless it pushes
		for v := range 3 {
			if got, want := q.Enqueue(v), v == 0; got != want {
				t.Errorf("Enqueue %d reports %v, want %v", v, got, want)
			}
		}
		for v := range 3 {
			take(t, &q, v, v == 2)
		}
	})
	t.Run("as the first of all", func(t *testing.T) {
		var q Owner[int]
		linkOnly(t, &q, 1)
		q.countIn()
		take(t, &q, 1, true)
		q.Enqueue(2)
		take(t, &q, 2, true)
	})
}

// TestOwnerFrozenBeforeCounting stops an Enqueue between its two steps. No goroutine may dequeue an
// item that has not been counted.
func TestOwnerFrozenBeforeCounting(t *testing.T) {
	var q Owner[int]
	q.link(1)
	for name, call := range map[string]func(){"Dequeue": func() { q.Dequeue() }, "Peek": func() { q.Peek() }} {
		panics(t, name, call)
	}
	if !q.countIn() {
		t.Error("the frozen call does not become the owner")
	}
	if got := q.Peek(); got != 1 {
		t.Errorf("Peek = %d, want 1", got)
	}
	take(t, &q, 1, true)
}

// TestOwnerFrozenDequeue stops an owner between the two steps of Dequeue: the item is out, and the
// goroutine is still the owner.
func TestOwnerFrozenDequeue(t *testing.T) {
	var q Owner[int]
	q.Enqueue(1)
	if v := q.unlink(); v != 1 {
		t.Errorf("unlink = %d, want 1", v)
	}
	// Only misuse gets here: another goroutine calls while the owner is within Dequeue and the list
	// is empty.
	for name, call := range map[string]func(){"Dequeue": func() { q.Dequeue() }, "Peek": func() { q.Peek() }} {
		panics(t, name, call)
	}
	if q.Enqueue(2) {
		t.Error("a second owner beside the one that has not returned from Dequeue")
	}
	if q.countOut() {
		t.Error("the owner is told that the queue is empty while another item is counted")
	}
	take(t, &q, 2, true)
}

// TestOwnerSleeperRetainsOneNode holds that a goroutine asleep in Enqueue keeps one node alive: the
// last node that it has read leads to no other once it has left the list. And its stale view does
// no harm when it wakes up.
func TestOwnerSleeperRetainsOneNode(t *testing.T) {
	var q Owner[int]
	q.Enqueue(1)
	stale := q.tail.Load()
	q.Enqueue(2)
	for v := 1; v <= 100; v++ {
		take(t, &q, v, false)
		q.Enqueue(v + 2)
	}
	next := stale.next.Load()
	if next != stale {
		t.Error("a node out of the list still leads into it")
	}
	if q.tail.CompareAndSwap(stale, next) || stale.next.CompareAndSwap(nil, next) || q.head.CompareAndSwap(stale, next) {
		t.Error("a stale view of the list changed it")
	}
}

// panics holds that a call panics with the text for misuse of that method.
func panics(t *testing.T, method string, call func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if text, _ := recover().(string); !strings.HasPrefix(text, "queue: "+method) {
			t.Errorf("%s: recovered %q, want a text that begins with %q", method, text, "queue: "+method)
		}
	}()
	call()
}
