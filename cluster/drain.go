package cluster

// A Shutdown waits until all messages are done, and units that tell each other for ever would have
// it wait until its deadline. What they have told is stored, and the next process delivers it. So
// once the runtime drains, what follows from what was under way is delivered, and what follows from
// that, and so on, up to some messages in a row. The next one is left to the next process, and so
// is what its unit is told after it.

// mostInARow is how many messages in a row are delivered while the runtime drains. Work that ends
// has fewer; with a commit for each, even a slow disk takes a second or two for them.
const mostInARow = 100

// inARow returns how many deliveries in a row have led to what by, a delivery or nil, tells now,
// since the runtime drains.
func (n *Node) inARow(by *delivery) int {
	if by == nil || !n.draining() {
		return 0
	}
	return by.inARow + 1
}

// isLeft reports whether a delivery is left to the next process.
func (d *delivery) isLeft() bool { return d.inARow > mostInARow }
