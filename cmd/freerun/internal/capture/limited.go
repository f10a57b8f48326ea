package capture

import "io"

// limited is a writer that closes full when more than a number of bytes were written, and then goes
// on writing. One goroutine writes; any goroutine may wait for full.
type limited struct {
	w    io.Writer
	left int64         // the bytes until full is closed
	full chan struct{} // closed at the limit
}

func newLimited(w io.Writer, bytes int64) *limited {
	return &limited{w: w, left: bytes, full: make(chan struct{})}
}

func (l *limited) Write(p []byte) (int, error) {
	before := l.left
	if l.left -= int64(len(p)); before >= 0 && l.left < 0 {
		close(l.full)
	}
	return l.w.Write(p)
}
