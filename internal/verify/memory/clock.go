package memory

// MaxThreads is the largest number of model threads in an execution.
const MaxThreads = 4

// Clock is a vector clock: for each thread, the number of its steps that happened before, in the
// sense of Go's memory model. The second half is for the store buffers of the threads.
type Clock [2 * MaxThreads]uint32

// Join makes c the maximum of c and o, element by element.
func (c *Clock) Join(o *Clock) {
	for i, n := range o {
		c[i] = max(c[i], n)
	}
}
