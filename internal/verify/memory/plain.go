package memory

// Plain is a field that is read and written without atomics. The zero value holds the zero T; it
// must not be copied after first use. Two accesses of different threads conflict if one of them
// writes. If nothing orders two conflicting accesses, the later one ends the execution with a
// [Race].
type Plain[T any] struct {
	v  T
	at Location
}

// Get returns the value.
func (p *Plain[T]) Get() T {
	p.at.readPlain("plain")
	return p.v
}

// Set sets the value.
func (p *Plain[T]) Set(v T) {
	p.at.writePlain("plain")
	p.v = v
}

// Take returns the value and leaves the zero value.
func (p *Plain[T]) Take() T {
	p.at.writePlain("plain")
	v := p.v
	var zero T
	p.v = zero
	return v
}

// Clear leaves the zero value.
func (p *Plain[T]) Clear() { p.Take() }

// ForRead returns the address of the value. The caller may read it before its next atomic
// operation.
func (p *Plain[T]) ForRead() *T {
	p.at.readPlain("plain")
	return &p.v
}

// ForWrite returns the address of the value. The caller may write it before its next atomic
// operation.
func (p *Plain[T]) ForWrite() *T {
	p.at.writePlain("plain")
	return &p.v
}
