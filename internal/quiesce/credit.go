package quiesce

// Account has the two counters of one group: of the messages that are open, and of those among them
// that were started. A canceled group waits for the second alone: what was not started is revoked.
type Account struct{ Open, Running Counter }

// Below makes both counters count in those of above too. It comes before the first message.
func (a *Account) Below(above *Account) {
	a.Open.Below(&above.Open)
	a.Running.Below(&above.Running)
}

// Credit is what one processor has taken of one account in advance, and hands out to messages by
// plain additions. It saves two atomic additions a message, on a line that all processors share.
// The zero value is credit of no account. The processor alone uses it.
//
// Invariants: I1  While the credit has some of Open it has some of Running, and gives that back last.
//
//	    So once nothing runs, what is open was not started.
//	I2  The processor has credit of the account whose operations it runs, and none when it
//	    rests (Turn).
//	    So once nothing of the account is open, Open becomes zero without a further event.
type Credit struct {
	of      *Account
	open    int64
	running int64
}

// batch is how much a credit takes at a time. It gives back what exceeds twice as much.
const batch = 64

// Take counts one message of a.
func (c *Credit) Take(a *Account) {
	switch {
	case c.of != a:
		a.Open.Add(1)
	case c.open == 0:
		if c.running == 0 {
			c.running = batch
			a.Running.Add(batch)
		}
		a.Open.Add(batch)
		c.open = batch - 1
	default:
		c.open--
	}
}

// Put takes one message of a back.
func (c *Credit) Put(a *Account) {
	if c.of != a || c.running == 0 {
		a.Open.Remove(1)
		return
	}
	if c.open++; c.open >= 2*batch {
		c.open -= batch
		a.Open.Remove(batch)
	}
}

// Begin counts one message of a as running.
func (c *Credit) Begin(a *Account) {
	switch {
	case c.of != a:
		a.Running.Add(1)
	case c.running <= 1: // one stays, for I1
		a.Running.Add(batch)
		c.running += batch - 1
	default:
		c.running--
	}
}

// End takes one message that ran back, after Put.
func (c *Credit) End(a *Account) {
	if c.of != a {
		a.Running.Remove(1)
		return
	}
	if c.running++; c.running >= 2*batch {
		c.running -= batch
		a.Running.Remove(batch)
	}
}

// Turn gives back what is left, and makes the credit one of a; of none if a is nil.
func (c *Credit) Turn(a *Account) {
	if c.of == a {
		return
	}
	c.settle()
	c.of = a
}

// settle gives back what is left.
func (c *Credit) settle() {
	if n := c.open; n > 0 {
		c.open = 0
		c.of.Open.Remove(n)
	}
	if n := c.running; n > 0 {
		c.running = 0
		c.of.Running.Remove(n)
	}
}
