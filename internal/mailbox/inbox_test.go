package mailbox_test

import (
	"sync"
	"testing"
	"unsafe"

	"github.com/freerun-go/freerun/internal/mailbox"
)

// parcel is the element of the intrusive lists under test.
type parcel struct {
	mailbox.Node
	producer, number int
}

func parcelOf(n *mailbox.Node) *parcel { return (*parcel)(unsafe.Pointer(n)) }

// numbers returns the numbers of the items of a list, from n on.
func numbers(n *mailbox.Node) (got []int) {
	for ; n != nil; n = n.Next() {
		got = append(got, parcelOf(n).number)
	}
	return got
}

func TestChainIsFirstInFirstOut(t *testing.T) {
	var c mailbox.Chain
	var model []int
	next := 0
	for round := range 50 {
		switch round % 3 {
		case 0:
			for range round % 7 {
				c.PushBack(&(&parcel{number: next}).Node)
				model = append(model, next)
				next++
			}
		case 1:
			var newest *mailbox.Node
			for range round % 5 {
				n := &(&parcel{number: next}).Node
				n.Link(newest)
				newest = n
				model = append(model, next)
				next++
			}
			c.PushNewestFirst(newest)
		case 2:
			for range round % 11 {
				if c.Empty() != (len(model) == 0) {
					t.Fatalf("Empty = %v of a chain of %d", c.Empty(), len(model))
				}
				n := c.PopFront()
				if len(model) == 0 {
					if n != nil {
						t.Fatal("an empty chain gave a node")
					}
					continue
				}
				if n == nil || parcelOf(n).number != model[0] {
					t.Fatalf("PopFront = %v, want %d", numbers(n), model[0])
				}
				if n.Next() != nil {
					t.Fatal("a node that was popped still leads to the chain")
				}
				model = model[1:]
			}
		}
	}
}

func TestInboxSequential(t *testing.T) {
	var b mailbox.Inbox
	for size := range 10 {
		if !b.Empty() || b.TakeAll() != nil {
			t.Fatal("an empty inbox is not empty")
		}
		for i := range size {
			if b.Empty() != (i == 0) {
				t.Fatalf("Empty = %v with %d nodes", b.Empty(), i)
			}
			b.Add(&(&parcel{number: i}).Node)
		}
		got := numbers(b.TakeAll())
		if len(got) != size {
			t.Fatalf("took %d nodes, want %d", len(got), size)
		}
		for i, number := range got {
			if number != i {
				t.Fatalf("took %v", got)
			}
		}
	}
}

func TestInboxAddChainIsOneInstant(t *testing.T) {
	var b mailbox.Inbox
	b.Add(&(&parcel{number: 0}).Node)
	var chain [3]parcel // its newest is the last
	for i := range chain {
		chain[i].number = i + 1
		if i > 0 {
			chain[i].Link(&chain[i-1].Node)
		}
	}
	b.AddChain(&chain[2].Node, &chain[0].Node)
	b.Add(&(&parcel{number: 4}).Node)
	got := numbers(b.TakeAll())
	for i, number := range got {
		if number != i || len(got) != 5 {
			t.Fatalf("took %v", got)
		}
	}
}

// TestInboxStress lets several goroutines add, singly and in chains of three, while several take.
// Nothing may be lost, doubled, or overtaken by what its producer added later in one batch; chains
// must not be torn apart.
func TestInboxStress(t *testing.T) {
	const producers, takers, each = 4, 2, 90_000
	var b mailbox.Inbox
	var adding, taking sync.WaitGroup
	added := make(chan struct{})
	for producer := range producers {
		adding.Go(func() {
			for i := 0; i < each; i += 3 {
				var three [3]parcel
				for k := range three {
					three[k].producer, three[k].number = producer, i+k
				}
				if i%2 == 0 {
					three[2].Link(&three[1].Node)
					three[1].Link(&three[0].Node)
					b.AddChain(&three[2].Node, &three[0].Node)
					continue
				}
				for k := range three {
					b.Add(&three[k].Node)
				}
			}
		})
	}
	var mu sync.Mutex
	seen := make([][each]bool, producers)
	take := func() (some bool) {
		list := b.TakeAll()
		mu.Lock()
		defer mu.Unlock()
		last := [producers]int{-1, -1, -1, -1}
		for n := list; n != nil; n = n.Next() {
			it := parcelOf(n)
			if seen[it.producer][it.number] {
				t.Errorf("number %d of producer %d came twice", it.number, it.producer)
			}
			seen[it.producer][it.number] = true
			if it.number <= last[it.producer] {
				t.Errorf("number %d of producer %d came after %d", it.number, it.producer, last[it.producer])
			}
			last[it.producer] = it.number
			if first := it.number - it.number%3; first%2 == 0 && it.number < first+2 {
				next := parcelOf(n.Next())
				if next == nil || next.producer != it.producer || next.number != it.number+1 {
					t.Errorf("the chain of number %d of producer %d was torn apart", it.number, it.producer)
				}
			}
		}
		return list != nil
	}
	for range takers {
		taking.Go(func() {
			for {
				select {
				case <-added:
					for take() {
					}
					return
				default:
					take()
				}
			}
		})
	}
	adding.Wait()
	close(added)
	taking.Wait()
	for producer := range seen {
		for number, came := range seen[producer] {
			if !came {
				t.Fatalf("number %d of producer %d was lost", number, producer)
			}
		}
	}
}
