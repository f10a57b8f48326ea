//go:build freerun_debug

package queue

import (
	"strings"
	"testing"
)

// TestOwnerContractTwoOwners has calls of an owner overlap those of another goroutine: each is
// refused with a text that names both and says why, changes nothing, and leaves the first one
// undisturbed.
func TestOwnerContractTwoOwners(t *testing.T) {
	var q Owner[int]
	q.Enqueue(1)
	q.Enqueue(2)
	calls := map[string]func(){"Dequeue of an Owner": func() { q.Dequeue() }, "Peek at an Owner": func() { q.Peek() }}
	for first := range calls {
		for second, call := range calls {
			q.owner.enter("queue: " + first) // and is about to touch the list
			func() {
				defer func() {
					text, _ := recover().(string)
					if !strings.HasPrefix(text, "queue: "+second) || !strings.Contains(text, "(queue: "+first+"): one goroutine at a time") {
						t.Errorf("%s during %s: recovered %q", second, first, text)
					}
				}()
				call()
			}()
			q.owner.leave()
		}
	}
	take(t, &q, 1, false)
	take(t, &q, 2, true)
}

// TestOwnerContractNoOwner has calls refused because there is no owner, after which the next
// owner's are not.
func TestOwnerContractNoOwner(t *testing.T) {
	var q Owner[int]
	for range 3 {
		panics(t, "Dequeue", func() { q.Dequeue() })
		panics(t, "Peek", func() { q.Peek() })
		q.Enqueue(1)
		if q.Peek() != 1 {
			t.Error("the owner is refused")
		}
		take(t, &q, 1, true)
	}
}

// TestOwnerContractEndsInTime lets ownership pass within a Dequeue, as soon as the count is zero:
// the next owner is not taken for a second one.
func TestOwnerContractEndsInTime(t *testing.T) {
	var q Owner[int]
	q.Enqueue(1)
	q.unlink()
	if !q.countOut() || !q.Enqueue(2) { // the last owner has not returned from Dequeue
		t.Fatal("no goroutine owns the queue")
	}
	take(t, &q, 2, true)
}
