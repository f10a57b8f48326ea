package memory

// Plain is a field that is read and written plainly. The zero value holds the zero T; it must not
// be copied after first use. An access that nothing orders after one of another thread, if one of
// the two writes, ends the execution with a [Race].
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

// ForRead returns where the value is, to be read there before the next atomic operation.
func (p *Plain[T]) ForRead() *T {
	p.at.readPlain("plain")
	return &p.v
}

// ForWrite returns where the value is, to be written there before the next atomic operation.
func (p *Plain[T]) ForWrite() *T {
	p.at.writePlain("plain")
	return &p.v
}
