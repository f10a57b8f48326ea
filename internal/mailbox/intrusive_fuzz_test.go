package mailbox_test

import (
	"slices"
	"testing"

	"github.com/freerun-go/freerun/internal/mailbox"
)

// FuzzIntrusive reads bytes as operations on an inbox, a mailbox and a chain that pass the same few
// nodes around, and holds each against a slice. Nodes move from one list to another as soon as the
// rules allow, so a list that kept a link to a node it gave away would be found out.
func FuzzIntrusive(f *testing.F) {
	f.Add([]byte{0, 0, 1, 4, 4, 5, 2, 3, 3, 3, 6, 7, 7})
	f.Add([]byte{1, 1, 1, 1, 3, 3, 1, 3, 3, 3, 3, 0, 0, 8, 2, 9, 6, 7})
	f.Add([]byte{0, 1, 5, 0, 1, 5, 8, 3, 2, 8, 3, 2, 4, 9, 7, 6, 3, 3, 3})
	f.Fuzz(func(t *testing.T, program []byte) {
		var (
			inbox                              mailbox.Inbox
			box                                mailbox.Queue
			chain                              mailbox.Chain
			inInbox, inMailbox, inChain, spare []*parcel
			held                               *parcel // dequeued last, and not reusable yet
			owned                              bool
		)
		for i := range 12 {
			spare = append(spare, &parcel{number: i})
		}
		take := func(count int) (nodes []*parcel) {
			count = min(count, len(spare))
			nodes, spare = slices.Clone(spare[:count]), spare[count:]
			return nodes
		}
		newestFirst := func(nodes []*parcel) *mailbox.Node {
			for i := len(nodes) - 1; i > 0; i-- {
				nodes[i].Link(&nodes[i-1].Node)
			}
			nodes[0].Link(nil)
			return &nodes[len(nodes)-1].Node
		}
		dequeue := func() {
			n := box.Dequeue()
			if held != nil {
				spare = append(spare, held)
				held = nil
			}
			if len(inMailbox) == 0 {
				if n != nil {
					t.Fatalf("an empty mailbox gave %d", parcelOf(n).number)
				}
				owned = false
				return
			}
			if n == nil || parcelOf(n) != inMailbox[0] {
				t.Fatalf("Dequeue = %v, want %d", numbers(n), inMailbox[0].number)
			}
			if n.Next() != nil {
				t.Fatal("a node that was dequeued leads on")
			}
			held, inMailbox = inMailbox[0], inMailbox[1:]
			if box.Reusable(n) {
				spare = append(spare, held)
				held = nil
			}
		}
		for _, b := range program {
			switch count := int(b>>4)%3 + 1; b % 10 {
			case 0:
				for _, it := range take(count) {
					inbox.Add(&it.Node)
					inInbox = append(inInbox, it)
				}
			case 1, 8:
				for _, it := range take(count) {
					if idle := box.Enqueue(&it.Node); idle == owned {
						t.Fatalf("Enqueue says idle %v, owned was %v", idle, owned)
					}
					owned = true
					inMailbox = append(inMailbox, it)
				}
			case 2:
				var got []*parcel
				for n := inbox.TakeAll(); n != nil; n = n.Next() {
					got = append(got, parcelOf(n))
				}
				if !slices.Equal(got, inInbox) {
					t.Fatalf("TakeAll gave %d nodes, want %d, or in another order", len(got), len(inInbox))
				}
				spare, inInbox = append(spare, inInbox...), nil
			case 3, 9:
				if owned {
					dequeue()
				}
			case 4:
				for _, it := range take(count) {
					chain.PushBack(&it.Node)
					inChain = append(inChain, it)
				}
			case 5:
				if nodes := take(count); len(nodes) > 0 {
					inbox.AddChain(newestFirst(nodes), &nodes[0].Node)
					inInbox = append(inInbox, nodes...)
				}
			case 6:
				if nodes := take(count); len(nodes) > 0 {
					chain.PushNewestFirst(newestFirst(nodes))
					inChain = append(inChain, nodes...)
				}
			case 7:
				n := chain.PopFront()
				if (n == nil) != (len(inChain) == 0) || n != nil && parcelOf(n) != inChain[0] {
					t.Fatalf("PopFront = %v of %d nodes", numbers(n), len(inChain))
				}
				if n != nil {
					spare, inChain = append(spare, inChain[0]), inChain[1:]
				}
			}
			if inbox.Empty() != (len(inInbox) == 0) || chain.Empty() != (len(inChain) == 0) {
				t.Fatal("Empty is wrong")
			}
		}
		for owned {
			dequeue()
		}
	})
}
