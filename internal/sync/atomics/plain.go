//go:build !explore

package atomics

// Plain is a field that is not atomic and yet part of a protocol, such as the value in a slot whose
// state is an atomic word. The order of the atomic operations around it protects it. In a normal
// build it is nothing but the field. The zero value holds the zero T.
type Plain[T any] struct{ v T }

// Get returns the value.
func (p *Plain[T]) Get() T { return p.v }

// Set sets the value.
func (p *Plain[T]) Set(v T) { p.v = v }

// Take returns the value and stores the zero value, so that nothing is retained.
func (p *Plain[T]) Take() T {
	v := p.v
	var zero T
	p.v = zero
	return v
}

// Clear stores the zero value.
func (p *Plain[T]) Clear() {
	var zero T
	p.v = zero
}

// ForRead returns the address of the value, which the caller may read before its next atomic
// operation. It saves a copy of values larger than a word or two.
func (p *Plain[T]) ForRead() *T { return &p.v }

// ForWrite returns the address of the value, which the caller may write before its next atomic
// operation.
func (p *Plain[T]) ForWrite() *T { return &p.v }
