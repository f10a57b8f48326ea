//go:build !explore

package atomics

// Plain is a field that is not atomic and yet matters to a protocol, such as the value in a slot whose state is an atomic
// word: what protects it is the order of the atomic operations around it. In a normal build it is nothing but the field.
// The zero value holds the zero T.
type Plain[T any] struct{ v T }

// Get returns the value.
func (p *Plain[T]) Get() T { return p.v }

// Set sets the value.
func (p *Plain[T]) Set(v T) { p.v = v }

// Take returns the value and leaves the zero value, so that nothing is retained.
func (p *Plain[T]) Take() T {
	v := p.v
	var zero T
	p.v = zero
	return v
}

// Clear leaves the zero value.
func (p *Plain[T]) Clear() {
	var zero T
	p.v = zero
}

// ForRead returns where the value is, to be read there before the next atomic operation: for values of more than a word or
// two, which Get and Take copy once more than needed.
func (p *Plain[T]) ForRead() *T { return &p.v }

// ForWrite returns where the value is, to be written there before the next atomic operation.
func (p *Plain[T]) ForWrite() *T { return &p.v }
