package capture

import "io"

// limited is a writer that says when so much was written, and goes on writing. One goroutine writes; any may wait.
type limited struct {
	w    io.Writer
	left int64
	full chan struct{} // closed then
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
