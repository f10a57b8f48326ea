package linear

// A Batch is what a call that moves several items promises. The zero value is the usual promise: as
// many single calls one after another, up to the first that is refused; so a short count says that
// there was no room, or no item, when the others had taken effect.
type Batch struct {
	// AtOnce means that all items move at one instant. A short count then says that at some instant
	// before, in the same call, there was room for no more, or were no more: whether it is still so
	// when they move, the call does not know.
	AtOnce bool

	// Busy means that a short count, though not of 0, may also say that a call of the other side
	// was under way beside this one.
	Busy bool
}

// EnqueueN records a call that adds a prefix of vs to a queue and says how many items. None is the
// answer of a call that was refused.
func (c *Client) EnqueueN(vs []int, promise Batch, enqueueN func(vs []int) int) int {
	begin := c.Begin()
	n := enqueueN(vs)
	c.batch(begin, n, len(vs), promise, func(i int) (Call, Answer) { return Call{Verb: Enqueue, Value: vs[i]}, Answer{OK: i < n} })
	return n
}

// DequeueN records a call that takes items out of a queue, into a prefix of dst, and says how many.
// None is the answer of a call that found nothing.
func (c *Client) DequeueN(dst []int, promise Batch, dequeueN func(dst []int) int) int {
	begin := c.Begin()
	n := dequeueN(dst)
	c.batch(begin, n, len(dst), promise, func(i int) (Call, Answer) {
		if i == n {
			return Call{Verb: Dequeue}, Answer{}
		}
		return Call{Verb: Dequeue}, Answer{Value: dst[i], OK: true}
	})
	return n
}

// batch records what one call did, in parts, of which the one with number n was refused if it was
// asked for more.
func (c *Client) batch(begin int64, n, asked int, promise Batch, part func(i int) (Call, Answer)) {
	add := func(call Call, answer Answer, joined bool) {
		c.operations = append(c.operations, Operation{Client: c.number, Call: call, Answer: answer, Begin: begin, End: open, Joined: joined})
	}
	short := n < asked
	if short && promise.AtOnce && n > 0 {
		look, _ := part(n)
		if look.Busy = promise.Busy; look.Verb.adds() {
			look.Verb = Room
		} else {
			look.Verb = Stock
		}
		add(look, Answer{Value: n}, false)
		short = false
	}
	for i := range n {
		call, answer := part(i)
		add(call, answer, promise.AtOnce && i < n-1)
	}
	if short {
		call, answer := part(n)
		call.Busy = promise.Busy && n > 0
		add(call, answer, false)
	}
	c.close(false)
}

// Len records a call that says how many items there are.
func (c *Client) Len(length func() int) int {
	begin := c.Begin()
	n := length()
	c.End(begin, Call{Verb: Len}, Answer{Value: n})
	return n
}

// Empty records a call that says whether there is nothing.
func (c *Client) Empty(empty func() bool) bool {
	begin := c.Begin()
	ok := empty()
	c.End(begin, Call{Verb: Empty}, Answer{OK: ok})
	return ok
}

// Peek records a call that says which item comes out next, or that there is none.
func (c *Client) Peek(peek func() (int, bool)) (int, bool) { return c.remove(Peek, peek) }

// TakeAll records a call that takes out all items at one instant, in the order in which they come
// out, and leaves nothing.
func (c *Client) TakeAll(verb Verb, takeAll func() []int) []int {
	begin := c.Begin()
	items := takeAll()
	for _, v := range items {
		c.operations = append(c.operations, Operation{
			Client: c.number, Call: Call{Verb: verb}, Answer: Answer{Value: v, OK: true}, Begin: begin, End: open, Joined: true,
		})
	}
	c.End(begin, Call{Verb: verb}, Answer{}) // at the same instant there is nothing more
	return items
}
