package quiesce

// Account has the two counters of one group. Open counts the open messages, Running those among
// them that were started. A canceled group waits for Running alone, because messages that were not
// started are revoked.
type Account struct{ Open, Running Counter }

// Below places both counters below those of above. The caller does so before the first message.
func (a *Account) Below(above *Account) {
	a.Open.Below(&above.Open)
	a.Running.Below(&above.Running)
}

// Credit is an amount of one account that one processor has taken in advance. The processor hands
// it out to messages by plain additions. This saves two atomic additions a message, on a cache line
// that all processors share. The zero value is credit of no account. Only the processor uses it.
//
// Invariants:
//
//	I1  While the credit holds some of Open, it holds some of Running, and gives that back last.
//	    So once Running is zero, every open message was not started.
//	I2  The processor has credit of the account whose operations it runs, and none when it rests
//	    (Turn).
//	    So once no message of the account is open, Open becomes zero without a further event.
type Credit struct {
	of      *Account
	open    int64
	running int64
}

// batch is how much a credit takes at a time. At twice as much, it gives one batch back.
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
	case c.running <= 1: // the credit keeps one, for I1
		a.Running.Add(batch)
		c.running += batch - 1
	default:
		c.running--
	}
}

// End takes back one message that ran. The caller has called Put for it before.
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

// Turn gives back the rest of the credit, and makes it one of account a, of no account if a is nil.
func (c *Credit) Turn(a *Account) {
	if c.of == a {
		return
	}
	c.settle()
	c.of = a
}

// settle gives back the rest of the credit, Open before Running (I1).
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
