package queue

// NewFanOutAt returns a queue whose positions all begin at start, so that they overflow soon.
func NewFanOutAt[T any](capacity int, start uint32) *FanOut[T] { return newFanOut[T](capacity, start) }
