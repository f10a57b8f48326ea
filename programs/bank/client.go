package bank

// transfer is a client's order: two different accounts and an amount.
type transfer struct {
	from, to int
	amount   int64
}

// client chooses the next transfer, in the same way in all variants. Nothing in it is synchronised.
type client struct {
	accounts int
	left     int    // transfers to make
	random   uint64 // state of the generator, never 0
}

// newClients returns clients that share this many transfers.
func newClients(clients, accounts, transfers int) []*client {
	all := make([]*client, clients)
	for i := range all {
		all[i] = &client{accounts: accounts, left: transfers / clients, random: uint64(i+1) * 0x9e3779b97f4a7c15}
		if i < transfers%clients {
			all[i].left++
		}
	}
	return all
}

// next returns the next transfer, and false if the client has made all.
func (c *client) next() (transfer, bool) {
	if c.left == 0 {
		return transfer{}, false
	}
	c.left--
	n := uint64(c.accounts)
	from := c.draw() % n
	to := c.draw() % (n - 1)
	if to >= from {
		to++
	}
	return transfer{int(from), int(to), int64(c.draw() % 100)}, true
}

// draw is Marsaglia's xorshift: three shifts, so that choosing costs next to nothing.
func (c *client) draw() uint64 {
	c.random ^= c.random << 13
	c.random ^= c.random >> 7
	c.random ^= c.random << 17
	return c.random >> 11 // the low bits are of lower quality
}
