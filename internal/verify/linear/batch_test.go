package linear_test

import (
	"testing"

	"github.com/freerun-go/freerun/internal/verify/linear"
)

// moved returns the operations of one call of EnqueueN or DequeueN between two instants, of a
// client of its own.
func moved(begin, end int64, promise linear.Batch, call func(c *linear.Client, promise linear.Batch)) linear.History {
	r := linear.NewRecorder(1)
	call(r.Client(0), promise)
	h := r.History()
	clients++
	for i := range h {
		h[i].Client, h[i].Begin, h[i].End = clients, begin, end
	}
	return h
}

// put is an EnqueueN that took the first values, by their number.
func put(n int, vs ...int) func(*linear.Client, linear.Batch) {
	return func(c *linear.Client, promise linear.Batch) {
		c.EnqueueN(vs, promise, func([]int) int { return n })
	}
}

// took is a DequeueN that was asked for a number of values and returned these.
func took(asked int, vs ...int) func(*linear.Client, linear.Batch) {
	return func(c *linear.Client, promise linear.Batch) {
		c.DequeueN(make([]int, asked), promise, func(dst []int) int { return copy(dst, vs) })
	}
}

// TestShortBatches tells right short counts from wrong ones.
func TestShortBatches(t *testing.T) {
	one, whole := linear.Batch{}, linear.Batch{AtOnce: true}
	oneBusy, wholeBusy := linear.Batch{Busy: true}, linear.Batch{AtOnce: true, Busy: true}
	two, four := linear.FIFO(2, linear.Strict), linear.FIFO(4, linear.Strict)
	each := linear.PerProducerEach(2)
	join := func(parts ...linear.History) (h linear.History) {
		for _, p := range parts {
			h = append(h, p...)
		}
		return h
	}
	is := func(operations ...linear.Operation) linear.History { return operations }
	filled := is(at(0, 1, enqueue(2), yes))
	// A queue with room for two holds one item. One call asks for two items beside another that
	// brings two, and each moves one.
	crossed := func(promise linear.Batch) linear.History {
		return join(filled, moved(2, 3, promise, took(2, 2)), moved(2, 3, promise, put(1, 3, 4)), is(at(4, 5, dequeue, got(3)), at(6, 7, dequeue, no)))
	}
	judge(t, []verdict{
		{"crossed, one by one", two, crossed(one), false},
		{"crossed, at once", two, crossed(whole), true},
		{"crossed, one by one, unless busy", two, crossed(oneBusy), true},
		{"crossed, at once, unless busy", two, crossed(wholeBusy), true},
	})
	for _, promise := range []linear.Batch{one, whole, oneBusy, wholeBusy} {
		judge(t, []verdict{
			{"all that fits", two, join(moved(0, 1, promise, put(2, 1, 2, 3)), moved(2, 3, promise, took(3, 1, 2))), true},
			{"less than fits, alone", two, moved(0, 1, promise, put(1, 1, 2)), false},
			{"none, alone", two, moved(0, 1, promise, put(0, 1, 2)), false},
			{"less than there is, alone", two, join(moved(0, 1, promise, put(2, 1, 2)), moved(2, 3, promise, took(2, 1))), false},
			{"none beside an item", two, join(filled, moved(2, 5, promise, took(2)), is(at(3, 4, enqueue(9), yes))), false},
			{"more than fits", two, moved(0, 1, promise, put(3, 1, 2, 3)), false},
			{"of each producer", each, join(moved(0, 1, promise, put(2, 1, 2, 3)), moved(2, 3, promise, put(2, linear.Stride, linear.Stride+1, linear.Stride+2))), true},
			{"of each producer, less than fits", each, join(moved(0, 1, promise, put(2, 1, 2)), moved(2, 3, promise, put(1, linear.Stride, linear.Stride+1))), false},
		})
	}
	// Another call puts an item between the two of a batch, or looks between them.
	between := func(promise linear.Batch) linear.History {
		return join(moved(0, 5, promise, put(2, 1, 2)), is(at(1, 2, enqueue(3), yes), at(6, 7, dequeue, got(1)), at(8, 9, dequeue, got(3)), at(10, 11, dequeue, got(2))))
	}
	seen := func(promise linear.Batch) linear.History {
		return join(moved(0, 9, promise, put(2, 1, 2)), is(at(1, 2, dequeue, got(1)), at(3, 4, dequeue, no), at(10, 11, dequeue, got(2))))
	}
	judge(t, []verdict{
		{"another item between, one by one", four, between(one), true},
		{"another item between, at once", four, between(whole), false},
		{"half of it seen, one by one", four, seen(one), true},
		{"half of it seen, at once", four, seen(whole), false},
	})
}

// TestObservers tells right answers of observers from wrong ones.
func TestObservers(t *testing.T) {
	length := func(n int) (linear.Call, linear.Answer) {
		return linear.Call{Verb: linear.Len}, linear.Answer{Value: n}
	}
	ask := func(begin, end int64, n int) linear.Operation {
		call, answer := length(n)
		return at(begin, end, call, answer)
	}
	empty := func(begin, end int64, ok bool) linear.Operation {
		return at(begin, end, linear.Call{Verb: linear.Empty}, linear.Answer{OK: ok})
	}
	peek := func(begin, end int64, answer linear.Answer) linear.Operation {
		return at(begin, end, linear.Call{Verb: linear.Peek}, answer)
	}
	fifo := linear.FIFO(2, linear.Strict)
	is := func(operations ...linear.Operation) linear.History { return operations }
	quiet := func(n int) linear.History {
		return is(at(0, 1, enqueue(1), yes), ask(2, 3, n), at(4, 5, dequeue, got(1)))
	}
	adding := func(n int) linear.History {
		return is(at(0, 1, enqueue(1), yes), at(2, 5, enqueue(2), yes), at(3, 3, dequeue, got(1)), at(3, 3, dequeue, got(2)), ask(4, 4, n))
	}
	taking := func(n int) linear.History { // one item, which a call under way has taken out
		return is(at(0, 1, enqueue(1), yes), at(2, 7, dequeue, got(1)), at(3, 4, dequeue, no), ask(5, 6, n))
	}
	for length, want := range map[linear.Length][3]bool{ // quiet 0; taking 1; adding 1
		linear.Exact:    {false, false, false},
		linear.NotFewer: {false, true, false},
		linear.Near:     {false, true, false},
		linear.NotZero:  {false, true, true},
		linear.Rough:    {false, true, true},
	} {
		m := fifo.Measured(length)
		judge(t, []verdict{
			{"Len alone", m, quiet(1), true},
			{"Len alone, too small", m, quiet(0), want[0]},
			{"Len above the capacity", m, taking(3), false},
			{"Len below 0", m, taking(-1), false},
			{"Len beside a dequeue that has taken effect", m, taking(1), want[1]},
			{"Len beside a dequeue, right", m, taking(0), true},
			{"Len beside an enqueue that has taken effect, right", m, adding(0), true},
			{"Len beside an enqueue whose item is out", m, adding(1), want[2]},
		})
	}
	judge(t, []verdict{
		{"empty", fifo, is(empty(0, 1, true), at(2, 3, enqueue(1), yes), empty(4, 5, false)), true},
		{"empty with an item", fifo, is(at(0, 1, enqueue(1), yes), empty(2, 3, true)), false},
		{"not empty with none", fifo, is(empty(0, 1, false)), false},
		{"not empty with none, vaguely, alone", fifo.Vague(), is(empty(0, 1, false)), false},
		{"not empty with none, vaguely", fifo.Vague(), is(empty(0, 3, false), at(1, 2, dequeue, no)), true},
		{"empty with an item, vaguely", fifo.Vague(), is(at(0, 1, enqueue(1), yes), empty(2, 5, true), at(3, 4, enqueue(2), yes)), false},
		{"peek", fifo, is(peek(0, 0, no), at(0, 1, enqueue(1), yes), at(2, 3, enqueue(2), yes), peek(4, 5, got(1)), at(6, 7, dequeue, got(1)), peek(8, 9, got(2))), true},
		{"peek at the second", fifo, is(at(0, 1, enqueue(1), yes), at(2, 3, enqueue(2), yes), peek(4, 5, got(2))), false},
	})
	all := func(vs ...int) linear.History {
		r := linear.NewRecorder(1)
		r.Client(0).TakeAll(linear.Pop, func() []int { return vs })
		h := r.History()
		clients++
		for i := range h {
			h[i].Client, h[i].Begin, h[i].End = clients, 4, 9
		}
		return h
	}
	stack := linear.LIFO(linear.Unbounded, linear.Strict)
	pushed := is(at(0, 1, push(1), yes), at(2, 3, push(2), yes))
	judge(t, []verdict{
		{"take all", stack, append(pushed, all(2, 1)...), true},
		{"take all, out of order", stack, append(pushed, all(1, 2)...), false},
		{"take all, and leave some", stack, append(pushed, all(2)...), false},
		{"take all, with a push between", stack, append(append(pushed, at(5, 6, push(3), yes)), append(all(2, 1), at(10, 11, pop, got(3)))...), true},
		{"take all of nothing", stack, all(), true},
	})
}
