package queue

// NewSynchronousWithRoom returns a queue with room for so few cells that calls have to wait for it.
func NewSynchronousWithRoom[T any](room int) *Synchronous[T] { return newSynchronous[T](room) }
