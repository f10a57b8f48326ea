package freerun

import "slices"

// noted is a list of what a simulation must look at later, if it is still open then. The zero value
// is empty. It drops what is not open any more whenever it has doubled since the last time. So it
// is never longer than that or twice as many as were open, and adding takes constant time on
// average.
type noted[T any] struct {
	all  []T
	left int // how many were open when it was cleared last
}

// fewestNoted is the length that a list must have before it is searched for entries to drop.
const fewestNoted = 64

// add adds x. isOpen tells which entries to keep.
func (l *noted[T]) add(x T, isOpen func(T) bool) {
	if len(l.all) >= max(fewestNoted, 2*l.left) {
		l.all = slices.DeleteFunc(l.all, func(x T) bool { return !isOpen(x) })
		l.left = len(l.all)
	}
	l.all = append(l.all, x)
}
