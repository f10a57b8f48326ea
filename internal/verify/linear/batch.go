package linear

// A Batch is the promise of a call that moves several items. The zero value is the usual promise:
// the call does what single calls one after another do, up to the first that is refused. A short
// count then says that there was no room, or no item, after the counted items had moved.
type Batch struct {
	// AtOnce means that all items move at one instant. A short count then says that at some earlier
	// instant of the same call there was room for no more items, or there were no more items. That
	// need not hold any longer when they move.
	AtOnce bool

	// Busy means that a short count greater than 0 may also have another cause: a call of the other
	// side was under way during this one.
	Busy bool
}

// EnqueueN records a call that adds a prefix of vs to a queue and returns the number of items
// added. A call that is refused returns 0.
func (c *Client) EnqueueN(vs []int, promise Batch, enqueueN func(vs []int) int) int {
	begin := c.Begin()
	n := enqueueN(vs)
	c.batch(begin, n, len(vs), promise, func(i int) (Call, Answer) { return Call{Verb: Enqueue, Value: vs[i]}, Answer{OK: i < n} })
	return n
}

// DequeueN records a call that takes items out of a queue into a prefix of dst and returns their
// number. A call that finds nothing returns 0.
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

// batch records one call as parts, one for each item. If the call was asked for more than n items,
// part n is the refusal.
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

// Len records a call that returns the number of items.
func (c *Client) Len(length func() int) int {
	begin := c.Begin()
	n := length()
	c.End(begin, Call{Verb: Len}, Answer{Value: n})
	return n
}

// Empty records a call that reports whether there are no items.
func (c *Client) Empty(empty func() bool) bool {
	begin := c.Begin()
	ok := empty()
	c.End(begin, Call{Verb: Empty}, Answer{OK: ok})
	return ok
}

// Peek records a call that returns the item that comes out next, or reports that there is none.
func (c *Client) Peek(peek func() (int, bool)) (int, bool) { return c.remove(Peek, peek) }

// TakeAll records a call that takes out all items at one instant and returns them in the order in
// which they come out.
func (c *Client) TakeAll(verb Verb, takeAll func() []int) []int {
	begin := c.Begin()
	items := takeAll()
	for _, v := range items {
		c.operations = append(c.operations, Operation{
			Client: c.number, Call: Call{Verb: verb}, Answer: Answer{Value: v, OK: true}, Begin: begin, End: open, Joined: true,
		})
	}
	c.End(begin, Call{Verb: verb}, Answer{}) // at the same instant there are no more items
	return items
}
