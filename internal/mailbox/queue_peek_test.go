package mailbox_test

import (
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
)

// TestMailboxPeek has the owner peek at random moments: it sees the node that comes next, it stays
// the owner, and the node handed out before may be used again then. It sees nothing only when there
// is nothing, or more than it may touch.
func TestMailboxPeek(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		most := [...]int{1, 3, 20, 1000}[seed%4]
		var m mailbox.Queue
		var last *mailbox.Node
		sent, got, owned := 0, 0, false
		for range 500 {
			switch random.IntN(3) {
			case 0:
				p := &parcel{number: sent}
				sent++
				if wasIdle := m.Enqueue(&p.Node); wasIdle == owned {
					t.Fatalf("seed %d: enqueued, idle %v, owned %v", seed, wasIdle, owned)
				}
				owned = true
			case 1:
				if !owned {
					continue
				}
				n := m.Peek(most)
				switch {
				case n == nil && sent > got && most > sent:
					t.Fatalf("seed %d: %d of %d have come, and there is nothing to see", seed, got, sent)
				case n == nil:
				case (*parcel)(unsafe.Pointer(n)).number != got:
					t.Fatalf("seed %d: sees %d, want %d", seed, (*parcel)(unsafe.Pointer(n)).number, got)
				case last != nil && !m.Reusable(last):
					t.Fatalf("seed %d: %d is seen, and the mailbox knows the one before", seed, got)
				}
			case 2:
				if !owned {
					continue
				}
				seen := m.Peek(most)
				n, later := m.DequeueWithin(most)
				switch {
				case seen != nil && n != seen:
					t.Fatalf("seed %d: saw %p, and %p came", seed, seen, n)
				case later:
				case n == nil:
					if owned = false; got != sent {
						t.Fatalf("seed %d: given up after %d of %d", seed, got, sent)
					}
					last = nil
				default:
					if p := (*parcel)(unsafe.Pointer(n)); p.number != got {
						t.Fatalf("seed %d: %d came, want %d", seed, p.number, got)
					}
					last = n
					got++
				}
			}
		}
	}
}
