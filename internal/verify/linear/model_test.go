package linear_test

import (
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/freerun-go/freerun/internal/verify/linear"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Words for histories.

func enqueue(v int) linear.Call { return linear.Call{Verb: linear.Enqueue, Value: v} }
func push(v int) linear.Call    { return linear.Call{Verb: linear.Push, Value: v} }
func got(v int) linear.Answer   { return linear.Answer{Value: v, OK: true} }

var (
	dequeue = linear.Call{Verb: linear.Dequeue}
	pop     = linear.Call{Verb: linear.Pop}
	steal   = linear.Call{Verb: linear.Steal}
	yes     = linear.Answer{OK: true}
	no      = linear.Answer{}
	lost    = linear.Answer{Lost: true}
)

// at is an operation between two instants, of a client of its own.
func at(begin, end int64, call linear.Call, answer linear.Answer) linear.Operation {
	clients++
	return linear.Operation{Client: clients, Call: call, Answer: answer, Begin: begin, End: end}
}

var clients int

type verdict struct {
	name    string
	model   linear.Model
	history linear.History
	allowed bool
}

func judge(t *testing.T, verdicts []verdict) {
	t.Helper()
	for _, v := range verdicts {
		if err := linear.Check(v.model, v.history); (err == nil) != v.allowed {
			t.Errorf("%s: allowed %v, want %v; the history:\n%s", v.name, err == nil, v.allowed, v.history)
		}
	}
}

// TestSequentialHistories tells right answers from wrong ones when nothing overlaps.
func TestSequentialHistories(t *testing.T) {
	fifo, two := linear.FIFO(linear.Unbounded, linear.Strict), linear.FIFO(2, linear.Strict)
	relaxed := linear.FIFO(2, linear.InFlight)
	lifo, stack2 := linear.LIFO(linear.Unbounded, linear.Strict), linear.LIFO(2, linear.Strict)
	bag := linear.Bag(2, linear.Strict)
	deque, deque2 := linear.Deque(linear.Unbounded, linear.Strict, linear.RetryTaken), linear.Deque(2, linear.Strict, linear.RetryTaken)
	busy := linear.Deque(2, linear.InFlight, linear.RetryBusy)
	is := linear.Sequential
	judge(t, []verdict{
		{"fifo: in order", fifo, is(enqueue(1), yes, enqueue(2), yes, dequeue, got(1), dequeue, got(2), dequeue, no), true},
		{"fifo: the newer first", fifo, is(enqueue(1), yes, enqueue(2), yes, dequeue, got(2)), false},
		{"fifo: twice", fifo, is(enqueue(1), yes, dequeue, got(1), dequeue, got(1)), false},
		{"fifo: lost", fifo, is(enqueue(1), yes, dequeue, no), false},
		{"fifo: lost, the next came out", fifo, is(enqueue(1), yes, enqueue(2), yes, enqueue(3), yes, dequeue, got(1), dequeue, got(3)), false},
		{"fifo: invented", fifo, is(enqueue(1), yes, dequeue, got(7)), false},
		{"fifo: from nothing", fifo, is(dequeue, got(0)), false},
		{"fifo: refused without bound", fifo, is(enqueue(1), no), false},

		{"fifo of 2: refuses the third", two, is(enqueue(1), yes, enqueue(2), yes, enqueue(3), no, dequeue, got(1), enqueue(4), yes), true},
		{"fifo of 2: refuses the second", two, is(enqueue(1), yes, enqueue(2), no), false},
		{"fifo of 2: takes the third", two, is(enqueue(1), yes, enqueue(2), yes, enqueue(3), yes), false},
		{"fifo of 2: what was refused comes out", two, is(enqueue(1), yes, enqueue(2), yes, enqueue(3), no, dequeue, got(1), dequeue, got(2), dequeue, got(3)), false},
		{"relaxed fifo of 2: refuses the third", relaxed, is(enqueue(1), yes, enqueue(2), yes, enqueue(3), no, dequeue, got(1), enqueue(4), yes), true},
		{"relaxed fifo of 2: refuses the second, alone", relaxed, is(enqueue(1), yes, enqueue(2), no), false},
		{"relaxed fifo of 2: takes the third", relaxed, is(enqueue(1), yes, enqueue(2), yes, enqueue(3), yes), false},

		{"lifo: newest first", lifo, is(push(1), yes, push(2), yes, pop, got(2), push(3), yes, pop, got(3), pop, got(1), pop, no), true},
		{"lifo: oldest first", lifo, is(push(1), yes, push(2), yes, pop, got(1)), false},
		{"lifo: twice", lifo, is(push(1), yes, pop, got(1), pop, got(1)), false},
		{"lifo: empty with something", lifo, is(push(1), yes, pop, no), false},
		{"lifo of 2: refuses the third", stack2, is(push(1), yes, push(2), yes, push(3), no, pop, got(2)), true},
		{"lifo of 2: refuses the second", stack2, is(push(1), yes, push(2), no), false},

		{"bag: any order", bag, is(enqueue(1), yes, enqueue(2), yes, enqueue(3), no, dequeue, got(2), dequeue, got(1), dequeue, no), true},
		{"bag: twice", bag, is(enqueue(1), yes, enqueue(2), yes, dequeue, got(2), dequeue, got(2)), false},
		{"bag: invented", bag, is(enqueue(1), yes, enqueue(3), yes, dequeue, got(2)), false},
		{"bag: invented, greater than all", bag, is(enqueue(1), yes, dequeue, got(2)), false},
		{"bag: empty with something", bag, is(enqueue(1), yes, dequeue, no), false},

		{"deque: newest to the owner", deque, is(push(1), yes, push(2), yes, pop, got(2), pop, got(1), pop, no), true},
		{"deque: oldest to the thief", deque, is(push(1), yes, push(2), yes, steal, got(1), pop, got(2), steal, no), true},
		{"deque: oldest to the owner", deque, is(push(1), yes, push(2), yes, pop, got(1)), false},
		{"deque: newest to the thief", deque, is(push(1), yes, push(2), yes, steal, got(2)), false},
		{"deque: one item twice", deque, is(push(1), yes, pop, got(1), steal, got(1)), false},
		{"deque: empty with something", deque, is(push(1), yes, steal, no), false},
		{"deque: lost a race alone", deque, is(push(1), yes, steal, lost), false},
		{"deque: refused without bound", deque, is(push(1), no), false},
		{"deque of 2: refuses the third", deque2, is(push(1), yes, push(2), yes, push(3), no, steal, got(1), push(4), yes), true},
		{"deque of 2: refuses the second", deque2, is(push(1), yes, push(2), no), false},
		{"relaxed deque of 2: refuses the second, alone", busy, is(push(1), yes, push(2), no), false},
		{"relaxed deque of 2: lost a race alone", busy, is(push(1), yes, steal, lost), false},
	})
}

// TestPerProducerHistories tells right answers from wrong ones of queues in which only the items of
// one producer are in order.
func TestPerProducerHistories(t *testing.T) {
	const a, b = linear.Stride, 2 * linear.Stride // first values of two producers
	queue, three, each := linear.PerProducer(linear.Unbounded, linear.Strict), linear.PerProducer(3, linear.Strict), linear.PerProducerEach(2)
	is := linear.Sequential
	judge(t, []verdict{
		{"as they came", queue, is(enqueue(a), yes, enqueue(b), yes, enqueue(a+1), yes, dequeue, got(a), dequeue, got(b), dequeue, got(a+1), dequeue, no), true},
		{"the later producer first", queue, is(enqueue(a), yes, enqueue(b), yes, enqueue(a+1), yes, dequeue, got(b), dequeue, got(a), dequeue, got(a+1)), true},
		{"the earlier producer's both first", queue, is(enqueue(a), yes, enqueue(b), yes, enqueue(a+1), yes, dequeue, got(a), dequeue, got(a+1), dequeue, got(b)), true},
		{"one producer's out of order", queue, is(enqueue(a), yes, enqueue(b), yes, enqueue(a+1), yes, dequeue, got(a+1)), false},
		{"twice", queue, is(enqueue(a), yes, enqueue(a+1), yes, dequeue, got(a), dequeue, got(a)), false},
		{"lost", queue, is(enqueue(a), yes, enqueue(b), yes, dequeue, got(b), dequeue, no), false},
		{"of a producer without items", queue, is(enqueue(a), yes, dequeue, got(b)), false},
		{"refused without bound", queue, is(enqueue(a), no), false},

		{"3: refuses the fourth", three, is(enqueue(a), yes, enqueue(b), yes, enqueue(a+1), yes, enqueue(b+1), no, dequeue, got(b), enqueue(b+2), yes), true},
		{"3: refuses the third", three, is(enqueue(a), yes, enqueue(b), yes, enqueue(a+1), no), false},
		{"3: takes the fourth", three, is(enqueue(a), yes, enqueue(b), yes, enqueue(a+1), yes, enqueue(b+1), yes), false},

		{"2 each: takes the third of another", each, is(enqueue(a), yes, enqueue(a+1), yes, enqueue(b), yes, enqueue(a+2), no, dequeue, got(a), enqueue(a+3), yes), true},
		{"2 each: takes the third of one", each, is(enqueue(a), yes, enqueue(b), yes, enqueue(a+1), yes, enqueue(a+2), yes), false},
		{"2 each: refuses because of another's", each, is(enqueue(a), yes, enqueue(b), yes, enqueue(a+1), no), false},
		{"2 each: out of order", each, is(enqueue(a), yes, enqueue(a+1), yes, dequeue, got(a+1)), false},
	})
}

// TestOverlappingHistories tells right answers from wrong ones when the order of calls is open.
func TestOverlappingHistories(t *testing.T) {
	fifo := linear.FIFO(linear.Unbounded, linear.Strict)
	strict, relaxed := linear.FIFO(2, linear.Strict), linear.FIFO(2, linear.InFlight)
	taken, busy := linear.Deque(linear.Unbounded, linear.Strict, linear.RetryTaken), linear.Deque(linear.Unbounded, linear.Strict, linear.RetryBusy)
	is := func(operations ...linear.Operation) linear.History { return operations }
	judge(t, []verdict{
		{"either enqueue may be first", fifo, is(at(1, 4, enqueue(1), yes), at(2, 3, enqueue(2), yes), at(5, 6, dequeue, got(2)), at(7, 8, dequeue, got(1))), true},
		{"but not for one dequeue so, for the other so", fifo, is(at(1, 4, enqueue(1), yes), at(2, 3, enqueue(2), yes), at(5, 6, dequeue, got(2)), at(7, 8, dequeue, got(2))), false},
		{"what returned before comes first", fifo, is(at(1, 2, enqueue(1), yes), at(3, 4, enqueue(2), yes), at(5, 6, dequeue, got(2)), at(5, 6, dequeue, got(1))), true},
		{"an instant is not shared by what follows", fifo, is(at(1, 2, enqueue(1), yes), at(3, 4, enqueue(2), yes), at(5, 6, dequeue, got(2)), at(7, 8, dequeue, got(1))), false},
		{"empty while an enqueue is under way", fifo, is(at(1, 4, enqueue(1), yes), at(2, 3, dequeue, no), at(5, 6, dequeue, got(1))), true},
		{"empty after an enqueue that returned", fifo, is(at(1, 2, enqueue(1), yes), at(3, 6, dequeue, no), at(4, 5, enqueue(2), yes)), false},
		{"empty between two items of others", fifo, is(at(1, 2, enqueue(1), yes), at(3, 8, dequeue, no), at(4, 5, dequeue, got(1)), at(6, 7, enqueue(2), yes)), true},

		// 1 is in the queue of 2; 2 is refused while another call is under way.
		{"full because of an enqueue under way, strictly", strict, is(at(1, 2, enqueue(1), yes), at(3, 8, enqueue(3), yes), at(4, 5, enqueue(2), no), at(6, 7, dequeue, got(1))), true},
		{"full because of an enqueue under way that is shown to be late, strictly", strict, is(
			at(1, 2, enqueue(1), yes), at(3, 8, enqueue(3), yes), at(4, 5, enqueue(2), no), at(6, 7, dequeue, got(1)), at(7, 7, dequeue, no)), false},
		{"full because of an enqueue under way that is shown to be late", relaxed, is(
			at(1, 2, enqueue(1), yes), at(3, 8, enqueue(3), yes), at(4, 5, enqueue(2), no), at(6, 6, dequeue, got(1)), at(7, 7, dequeue, no)), true},
		{"full because of a dequeue under way that has taken effect", relaxed, is(
			at(1, 2, enqueue(1), yes), at(3, 4, enqueue(2), yes), at(5, 10, dequeue, got(1)), at(6, 7, dequeue, got(2)), at(8, 9, enqueue(3), no)), false},
		{"full because of a dequeue under way and an item", relaxed, is(
			at(1, 2, enqueue(1), yes), at(3, 4, enqueue(2), yes), at(5, 12, dequeue, got(1)), at(6, 7, dequeue, got(2)), at(8, 9, enqueue(3), yes), at(10, 11, enqueue(4), no)), true},
		{"full because of a dequeue under way and an item, strictly", strict, is(
			at(1, 2, enqueue(1), yes), at(3, 4, enqueue(2), yes), at(5, 12, dequeue, got(1)), at(6, 7, dequeue, got(2)), at(8, 9, enqueue(3), yes), at(10, 11, enqueue(4), no)), false},
		{"full because of a dequeue that finds nothing", relaxed, is(
			at(1, 6, dequeue, no), at(2, 3, enqueue(1), yes), at(4, 5, enqueue(2), no)), false},
		{"full because of each other", relaxed, is(
			at(1, 2, enqueue(1), yes), at(3, 6, enqueue(2), no), at(4, 5, enqueue(3), no)), false},
		{"an item and its own enqueue under way count once", relaxed, is(
			at(1, 6, enqueue(1), yes), at(2, 3, dequeue, no), at(4, 5, enqueue(2), no)), false},

		{"a thief loses to the owner", taken, is(at(1, 2, push(1), yes), at(3, 6, steal, lost), at(4, 5, pop, got(1))), true},
		{"a thief loses to a thief", taken, is(at(1, 2, push(1), yes), at(3, 6, steal, lost), at(4, 5, steal, got(1))), true},
		{"a thief loses to a push", taken, is(at(1, 4, push(1), yes), at(2, 3, steal, lost)), false},
		{"a thief loses to one who found nothing", taken, is(at(1, 4, pop, no), at(2, 3, steal, lost)), false},
		{"a thief loses to one who was gone", taken, is(at(1, 2, push(1), yes), at(3, 4, pop, got(1)), at(5, 6, steal, lost)), false},
		{"a thief finds the deque used", busy, is(at(1, 4, push(1), yes), at(2, 3, steal, lost)), true},
		{"a thief finds it used by one who was gone", busy, is(at(1, 2, push(1), yes), at(3, 4, steal, lost)), false},
		{"who lost a race took nothing", taken, is(at(1, 2, push(1), yes), at(3, 4, push(2), yes), at(5, 8, steal, lost), at(6, 7, pop, got(2)), at(9, 10, pop, no)), false},
	})
}

// TestBatches holds that the parts of one call take effect in their order, and that parts of other
// calls may come between.
func TestBatches(t *testing.T) {
	fifo, two := linear.FIFO(linear.Unbounded, linear.Strict), linear.FIFO(2, linear.Strict)
	batch := func(client int, vs ...int) linear.History {
		r := linear.NewRecorder(client + 1)
		r.Client(client).EnqueueN(vs, linear.Batch{}, func(vs []int) int { return len(vs) })
		return r.History()
	}
	after := func(h linear.History, rest ...any) linear.History {
		for _, o := range linear.Sequential(rest...) {
			o.Begin, o.End = o.Begin+10, o.End+10
			h = append(h, o)
		}
		return h
	}
	both := func() linear.History { return append(batch(0, 1, 2), batch(1, 3, 4)...) }
	judge(t, []verdict{
		{"in order", fifo, after(batch(0, 1, 2), dequeue, got(1), dequeue, got(2)), true},
		{"out of order", fifo, after(batch(0, 1, 2), dequeue, got(2), dequeue, got(1)), false},
		{"one after another", fifo, after(both(), dequeue, got(3), dequeue, got(4), dequeue, got(1), dequeue, got(2)), true},
		{"others between", fifo, after(both(), dequeue, got(3), dequeue, got(1), dequeue, got(2), dequeue, got(4)), true},
		{"others between, out of order", fifo, after(both(), dequeue, got(3), dequeue, got(2), dequeue, got(1), dequeue, got(4)), false},
		{"too many", two, batch(0, 1, 2, 3), false},
	})
	late := linear.History{at(1, 9, enqueue(1), yes), at(2, 9, enqueue(2), yes), at(10, 11, dequeue, got(2)), at(12, 13, dequeue, got(1))}
	judge(t, []verdict{{"calls of two clients that overlap", fifo, late, true}})
	late[1].Client = late[0].Client
	judge(t, []verdict{{"calls of one client that were closed late", fifo, late, false}})

	r := linear.NewRecorder(2)
	some := func(n int) func([]int) int { return func([]int) int { return n } }
	r.Client(0).EnqueueN([]int{1, 2, 3}, linear.Batch{}, some(2))
	r.Client(0).EnqueueN([]int{4, 5}, linear.Batch{}, some(0))
	r.Client(0).EnqueueN(nil, linear.Batch{}, some(0))
	r.Client(1).DequeueN(make([]int, 3), linear.Batch{}, func(dst []int) int { return copy(dst, []int{1, 2}) })
	r.Client(1).DequeueN(make([]int, 3), linear.Batch{}, some(0))
	r.Client(1).DequeueN(nil, linear.Batch{}, some(0))
	h := r.History()
	if err := linear.Check(two, h); err != nil {
		t.Error(err)
	}
	if linear.Check(fifo, h) == nil {
		t.Error("EnqueueN of nothing is not taken for \"full\"")
	}
	if got := len(h); got != 8 {
		t.Errorf("%d operations, want 8:\n%s", got, h)
	}
}

// TestOverlaps counts calls that overlap an earlier one.
func TestOverlaps(t *testing.T) {
	a, b := at(1, 4, push(1), yes), at(2, 5, push(2), yes)
	again := b
	again.Client = a.Client
	for _, c := range []struct {
		history linear.History
		want    int
	}{
		{linear.History{a, b, at(6, 6, pop, got(1))}, 1},
		{linear.History{a, again}, 0},
		{linear.Sequential(push(1), yes, pop, got(1)), 0},
	} {
		if got := c.history.Overlaps(); got != c.want {
			t.Errorf("%d overlaps, want %d:\n%s", got, c.want, c.history)
		}
	}
}

// TestManyOverlap holds that a history is decided even if too many calls that add overlap for all
// their orders to be tried.
func TestManyOverlap(t *testing.T) {
	const count = 60
	in := func(verb linear.Verb) (h linear.History) {
		for i := range count {
			h = append(h, at(0, 1, linear.Call{Verb: verb, Value: i}, yes))
		}
		return h
	}
	out := func(h linear.History, verb linear.Verb, except int) linear.History {
		for i := range count {
			instant := int64(2 + i)
			if i == except {
				instant = 2 // before all others, but for the first
			}
			h = append(h, at(instant, instant, linear.Call{Verb: verb}, linear.Answer{Value: i * 7 % count, OK: true}))
		}
		return h
	}
	// the call that added it begins when the first item is out
	late := func(h linear.History, value int) linear.History {
		h[value].Begin, h[value].End = 3, 3
		return h
	}
	owned := in(linear.Enqueue) // by the thread that enqueued the item that comes out first
	for i := range owned[1:] {
		owned[1+i].Answer = no
	}
	fifo, lifo := linear.FIFO(linear.Unbounded, linear.Strict), linear.LIFO(linear.Unbounded, linear.Strict)
	judge(t, []verdict{
		{"fifo: in any order", fifo, out(in(linear.Enqueue), linear.Dequeue, -1), true},
		{"fifo: in any order, two come out at once", fifo, out(in(linear.Enqueue), linear.Dequeue, 1), true},
		{"fifo: the last goes in late", fifo, late(out(in(linear.Enqueue), linear.Dequeue, -1), (count-1)*7%count), true},
		{"fifo: the second goes in late", fifo, late(out(in(linear.Enqueue), linear.Dequeue, -1), 7), false},
		{"lifo: in any order", lifo, out(in(linear.Push), linear.Pop, -1), true},
		{"lifo: in any order, two come out at once", lifo, out(in(linear.Push), linear.Pop, 1), true},
		{"mailbox: in any order", linear.Mailbox(), out(owned, linear.Dequeue, -1), true},
		{"items of an owner: in any order", linear.OwnerItems(), out(owned, linear.Dequeue, -1), true},
	})
}

// TestOwnerHistories tells right answers from wrong ones of queues that appoint their own consumer.
func TestOwnerHistories(t *testing.T) {
	count, items, set, mailbox := linear.OwnerCount(), linear.OwnerItems(), linear.OwnerSet(), linear.Mailbox()
	first := func(v int) linear.Answer { return linear.Answer{Value: v} }
	last := got
	idle, owned, givenUp := yes, no, no
	is := linear.Sequential
	inOrder := is(enqueue(1), idle, enqueue(2), owned, dequeue, first(1), dequeue, last(2))
	anyOrder := is(enqueue(1), idle, enqueue(2), owned, dequeue, first(2), dequeue, last(1))
	judge(t, []verdict{
		{"count: in order", count, inOrder, true},
		{"items: in order", items, inOrder, true},
		{"set: in order", set, inOrder, true},
		{"set: any order", set, anyOrder, true},
		{"items: any order", items, anyOrder, false},
		{"items: from nothing", items, is(dequeue, last(1)), false},
		{"count: two owners", count, is(enqueue(1), idle, enqueue(2), idle), false},
		{"count: no owner", count, is(enqueue(1), owned), false},
		{"count: ends too early", count, is(enqueue(1), idle, enqueue(2), owned, dequeue, last(1)), false},
		{"count: ends too late", count, is(enqueue(1), idle, dequeue, first(1)), false},
		{"count: from nothing", count, is(dequeue, last(1)), false},
		{"set: twice the same item", set, is(enqueue(1), idle, enqueue(2), owned, dequeue, first(1), dequeue, last(1)), false},
		{"set: two owners", set, is(enqueue(1), idle, enqueue(2), idle), false},
		{"set: ends too late", set, is(enqueue(1), idle, dequeue, first(1)), false},

		{"mailbox: in order", mailbox, is(enqueue(1), idle, enqueue(2), owned, dequeue, got(1), dequeue, got(2), dequeue, givenUp, enqueue(3), idle), true},
		{"mailbox: empty but owned", mailbox, is(enqueue(1), idle, dequeue, got(1), enqueue(2), owned), true},
		{"mailbox: out of order", mailbox, is(enqueue(1), idle, enqueue(2), owned, dequeue, got(2)), false},
		{"mailbox: two owners", mailbox, is(enqueue(1), idle, enqueue(2), idle), false},
		{"mailbox: no owner", mailbox, is(enqueue(1), owned), false},
		{"mailbox: an owner too many", mailbox, is(enqueue(1), idle, dequeue, got(1), enqueue(2), idle), false},
		{"mailbox: given up too early", mailbox, is(enqueue(1), idle, enqueue(2), owned, dequeue, got(1), dequeue, givenUp), false},
		{"mailbox: twice the same", mailbox, is(enqueue(1), idle, dequeue, got(1), dequeue, got(1)), false},
		{"mailbox: dequeue by no owner", mailbox, is(dequeue, givenUp), false},
		{"mailbox: owned after it was given up", mailbox, is(enqueue(1), idle, dequeue, got(1), dequeue, givenUp, enqueue(2), owned), false},
	})
}

// TestErrorIsReadable holds that an error names the model and lists the calls in the order in which
// they ended.
func TestErrorIsReadable(t *testing.T) {
	r := linear.NewRecorder(2)
	late := r.Client(0).Begin()
	r.Client(1).Enqueue(7, func(int) bool { return true })
	r.Client(1).Dequeue(func() (int, bool) { return 3, true })
	r.Client(0).End(late, linear.Call{Verb: linear.Enqueue, Value: 8}, linear.Answer{})
	r.Client(0).Steal(func() (int, bool, bool) { return 0, false, true })
	err := linear.Check(linear.FIFO(2, linear.Strict), r.History())
	if err == nil {
		t.Fatal("a wrong history is allowed")
	}
	want := strings.Join([]string{
		"this is no history of a first-in-first-out queue with room for 2 items:",
		"  client 1  [  1,  1]  Enqueue(7) true",
		"  client 1  [  2,  2]  Dequeue() = 3, true",
		"  client 0  [  1,  3]  Enqueue(8) false",
		"  client 0  [  4,  4]  Steal() lost a race",
		"",
	}, "\n")
	if err.Error() != want {
		t.Errorf("the error is\n%s\nwant\n%s", err, want)
	}
}
