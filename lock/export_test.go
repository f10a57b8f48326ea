package lock

// Cap returns the number of places.
func (l *Anderson) Cap() int { return len(l.slots) }
