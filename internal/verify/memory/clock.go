package memory

// MaxThreads is how many model threads there can be at once.
const MaxThreads = 4

// Clock is a vector clock: how many steps of each thread happened before, in the sense of Go's
// memory model. The second half belongs to the store buffers of the threads.
type Clock [2 * MaxThreads]uint32

// Join adds what o knows.
func (c *Clock) Join(o *Clock) {
	for i, n := range o {
		c[i] = max(c[i], n)
	}
}
