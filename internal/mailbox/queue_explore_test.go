//go:build explore

package mailbox

import (
	"testing"
	"unsafe"

	"github.com/freerun-go/freerun/internal/sync/atomics"
	"github.com/freerun-go/freerun/internal/verify/explore"
)

// mail is an item of the explored programs: the producer's number, and the mail's number among
// those of the producer.
type mail struct {
	Node
	from, number int
}

// office is a mailbox whose producers serve it themselves when they are told that they own it.
type office struct {
	Queue
	r    *explore.Run
	last [3]int             // the number of the last mail of each producer
	desk atomics.Plain[int] // the owner's
	got  int
	most int // how many nodes a dequeue touches
}

// send enqueues and, if that makes the caller the owner, serves.
func (o *office) send(m *mail) {
	if o.Enqueue(&m.Node) {
		o.serve()
	}
}

func (o *office) serve() {
	for {
		n, later := o.DequeueWithin(o.most)
		if later {
			continue
		}
		if n == nil {
			return
		}
		o.take(n)
	}
}

// take handles a node that the owner has dequeued.
func (o *office) take(n *Node) {
	m := (*mail)(unsafe.Pointer(n))
	o.desk.Set(o.desk.Get() + 1)
	if m.number != o.last[m.from]+1 {
		o.r.Failf("mail %d of producer %d came after its %d", m.number, m.from, o.last[m.from])
	}
	o.last[m.from] = m.number
	o.got++
}

// serveInSteps is serve by the steps that DequeueWithin consists of, with a Peek before each.
func (o *office) serveInSteps() {
	for {
		next := o.Peek(o.most)
		n := o.DequeueInOrder()
		if next != nil && n != next {
			o.r.Failf("Peek says one node, and another one comes")
		}
		if n == nil {
			if o.GiveUp() {
				return
			}
			later := false
			if n, later = o.DequeueNew(o.most); later {
				continue
			}
			if n == nil {
				return
			}
		}
		o.take(n)
		if o.IsNewest(n) && o.Peek(o.most) != nil && o.IsNewest(n) {
			o.r.Failf("there is a node behind the newest one")
		}
		if o.IsEmpty() && o.Peek(o.most) != nil && o.IsEmpty() {
			o.r.Failf("there is a node in an empty mailbox")
		}
	}
}

// offer enqueues where the newest node is not marked, and otherwise behind the marked one all the
// same.
func (o *office) offer(m *mail) {
	wasIdle, marked := o.EnqueueUnmarked(&m.Node)
	if marked {
		if n := o.Newest().Marked(); n != nil && (*mail)(unsafe.Pointer(n)).from == m.from {
			o.r.Failf("the marked node is the producer's own, who marks none")
		}
		wasIdle = o.Enqueue(&m.Node)
	}
	if wasIdle {
		o.serveInSteps()
	}
}

// mark enqueues a marked node as the newest.
func (o *office) mark(m *mail) {
	for {
		h := o.Newest()
		if !o.EnqueueOn(h, &m.Node, true) {
			continue
		}
		if h == nil {
			o.HandedOut(&m.Node)
			o.take(&m.Node)
			o.serveInSteps()
		}
		return
	}
}

// TestExploreMailboxVerbs has one producer mark its mail and another offer, and the owner, one of
// the two, serve step by step.
func TestExploreMailboxVerbs(t *testing.T) {
	program := func(each, most int) func(*explore.Run) {
		return func(r *explore.Run) {
			o := &office{r: r, most: most}
			for from, send := range []func(*mail){o.mark, o.offer} {
				r.Go(producers[from], func() {
					for i := range each {
						send(&mail{from: from, number: i + 1})
					}
				})
			}
			r.After(func() {
				if o.got != 2*each {
					r.Failf("%d of %d came out", o.got, 2*each)
				}
				if o.Newest() != nil || o.Newest().Marked() != nil {
					r.Failf("the mailbox is empty and has an owner")
				}
			})
		}
	}
	t.Run("one each", func(t *testing.T) { explore.Exhaustive(t, explore.Unbounded, program(1, 1000)) })
	t.Run("two each", func(t *testing.T) { explore.Exhaustive(t, 3, program(2, 1000)) })
	t.Run("in pieces", func(t *testing.T) { explore.Exhaustive(t, 2, program(3, 1)) })
	t.Run("many", func(t *testing.T) { explore.Random(t, 5000, program(4, 2)) })
}

var producers = [...]string{"one", "two", "three"}

// postal is a program in which several producers send several mails each.
func postal(producing, each int) func(*explore.Run) { return slowPostal(producing, each, 1000) }

// slowPostal is postal with an owner that brings no more than most mails into order at a time.
func slowPostal(producing, each, most int) func(*explore.Run) {
	return func(r *explore.Run) {
		o := &office{r: r, most: most}
		for from := range producing {
			r.Go(producers[from], func() {
				for i := range each {
					o.send(&mail{from: from, number: i + 1})
				}
			})
		}
		r.After(func() {
			if o.got != producing*each {
				r.Failf("%d of %d came out", o.got, producing*each)
			}
			if !o.Enqueue(new(Node)) {
				r.Failf("the mailbox is empty and has an owner")
			}
		})
	}
}

func TestExploreMailbox(t *testing.T) {
	t.Run("two producers", func(t *testing.T) { explore.Exhaustive(t, explore.Unbounded, postal(2, 2)) })
	t.Run("three producers", func(t *testing.T) { explore.Exhaustive(t, 3, postal(3, 1)) })
	t.Run("many", func(t *testing.T) { explore.Random(t, 5000, postal(3, 4)) })
	t.Run("in pieces", func(t *testing.T) { explore.Exhaustive(t, 3, slowPostal(2, 3, 1)) })
	t.Run("many in pieces", func(t *testing.T) { explore.Random(t, 5000, slowPostal(3, 5, 2)) })
}

// TestExploreMailboxReuse has the owner send mail again as soon as Reusable allows it, while
// another producer is about to link itself to it.
func TestExploreMailboxReuse(t *testing.T) {
	reuse := func(early bool) func(*explore.Run) {
		return func(r *explore.Run) {
			var m Queue
			came := [4]int{}
			count := func(n *Node) { came[(*mail)(unsafe.Pointer(n)).number]++ }
			r.Go("owner", func() {
				a := &mail{number: 0}
				if !m.Enqueue(&a.Node) {
					// the other thread owns it, and serves
					return
				}
				again := 0
				for n := m.Dequeue(); n != nil; n = m.Dequeue() {
					count(n)
					if again < 2 && (early || m.Reusable(n)) {
						again++
						mine := (*mail)(unsafe.Pointer(n))
						mine.number = 3
						m.Enqueue(n)
					}
				}
			})
			r.Go("other", func() {
				for i := range 2 {
					if m.Enqueue(&(&mail{number: 1 + i}).Node) {
						for n := m.Dequeue(); n != nil; n = m.Dequeue() {
							count(n)
						}
					}
				}
			})
			r.After(func() {
				if !m.Enqueue(new(Node)) {
					r.Failf("left behind")
				}
				if came[0] != 1 || came[1] != 1 || came[2] != 1 {
					r.Failf("came %v times", came)
				}
			})
		}
	}
	explore.Exhaustive(t, 4, reuse(false))
	explore.MustFail(t, 3, reuse(true)) // as soon as it is handed out is too early
}

// TestExploreMailboxFrozen stops an owner, or a producer, anywhere: the calls of the others still
// end.
func TestExploreMailboxFrozen(t *testing.T) {
	explore.Freeze(t, postal(3, 2))
}

// TestExploreInbox has threads that add and threads that take: each node comes out once, oldest
// first.
func TestExploreInbox(t *testing.T) {
	inbox := func(adders, each, takers int) func(*explore.Run) {
		return func(r *explore.Run) {
			var b Inbox
			taken := make([][]*mail, takers+1)
			take := func(who int) {
				var c Chain
				for n := b.TakeAll(); n != nil; {
					next := n.Next()
					c.PushBack(n)
					n = next
				}
				for !c.Empty() {
					taken[who] = append(taken[who], (*mail)(unsafe.Pointer(c.PopFront())))
				}
			}
			for from := range adders {
				r.Go(producers[from], func() {
					first := &mail{from: from, number: 1}
					b.Add(&first.Node)
					if takers == 0 && b.Empty() {
						r.Failf("empty after an Add, though no thread takes")
					}
					if each > 1 {
						older, newer := &mail{from: from, number: 2}, &mail{from: from, number: 3}
						newer.Link(&older.Node)
						b.AddChain(&newer.Node, &older.Node)
					}
				})
			}
			for who := range takers {
				r.Go("taker "+producers[who], func() { take(who) })
			}
			r.After(func() {
				take(takers)
				if !b.Empty() {
					r.Failf("not empty after all was taken")
				}
				got := 0
				for _, list := range taken {
					last := [3]int{}
					for _, m := range list {
						if m.number <= last[m.from] {
							r.Failf("%d of %d after %d", m.number, m.from, last[m.from])
						}
						last[m.from] = m.number
						got++
					}
				}
				want := adders
				if each > 1 {
					want = 3 * adders
				}
				if got != want {
					r.Failf("%d of %d came out", got, want)
				}
			})
		}
	}
	t.Run("no taker", func(t *testing.T) { explore.Exhaustive(t, explore.Unbounded, inbox(2, 3, 0)) })
	t.Run("one taker", func(t *testing.T) { explore.Exhaustive(t, explore.Unbounded, inbox(2, 3, 1)) })
	t.Run("two takers", func(t *testing.T) { explore.Exhaustive(t, explore.Unbounded, inbox(2, 1, 2)) })
	t.Run("frozen", func(t *testing.T) { explore.Freeze(t, inbox(2, 3, 2)) })
}

// TestExploreChain hands a list that leads from its newest node down from one thread to another,
// which appends it to a chain.
func TestExploreChain(t *testing.T) {
	explore.Exhaustive(t, explore.Unbounded, func(r *explore.Run) {
		var handed atomics.Pointer[Node]
		r.Go("giver", func() {
			older, newer := &mail{number: 2}, &mail{number: 3}
			newer.Link(&older.Node)
			handed.Store(&newer.Node)
		})
		r.Go("taker", func() {
			var c Chain
			c.PushBack(&(&mail{number: 1}).Node)
			c.PushNewestFirst(handed.Load())
			for want := 1; !c.Empty(); want++ {
				if got := (*mail)(unsafe.Pointer(c.PopFront())).number; got != want {
					r.Failf("%d comes out of the chain, want %d", got, want)
				}
			}
		})
	})
}
