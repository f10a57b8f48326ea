package ddb

import "github.com/tidwall/redcon"

// shareable is the length above which replies refer to values on the heap without a copy, however
// many refer to one value. Such a value is never overwritten from then on, though bytes may be
// appended behind it. Shorter values are copied into the reply. The next SET overwrites in place
// what no reply refers to, which saves an allocation.
const shareable = 512

// writer collects the replies of commands that one goroutine answers, one after another. Not for
// concurrent use; the zero value is ready.
type writer struct {
	buf  []byte
	tail []byte // the bulk after buf, without its line end; nil for none
}

func (w *writer) ok()               { w.buf = redcon.AppendOK(w.buf) }
func (w *writer) null()             { w.buf = redcon.AppendNull(w.buf) }
func (w *writer) integer(n int64)   { w.buf = redcon.AppendInt(w.buf, n) }
func (w *writer) simple(s string)   { w.buf = redcon.AppendString(w.buf, s) }
func (w *writer) fail(msg string)   { w.buf = redcon.AppendError(w.buf, msg) }
func (w *writer) text(s string)     { w.buf = redcon.AppendBulkString(w.buf, s) }
func (w *writer) array(n int)       { w.buf = redcon.AppendArray(w.buf, n) }
func (w *writer) texts(s ...string) { w.array(len(s)); w.each(w.text, s) }
func (w *writer) flags(s ...string) { w.array(len(s)); w.each(w.simple, s) }

func (w *writer) each(write func(string), s []string) {
	for _, one := range s {
		write(one)
	}
}

// bulk answers with v. It must be the last part of a command's reply, because a long v becomes the
// tail.
func (w *writer) bulk(v []byte) {
	if len(v) <= shareable {
		w.buf = redcon.AppendBulk(w.buf, v)
		return
	}
	w.buf = appendBulkHeader(w.buf, len(v))
	w.tail = v
}

// copied is bulk for a value in two parts that the shard may free or overwrite: it is always
// copied. A long one gets memory of its own, so that the buffer does not grow with it.
func (w *writer) copied(first, second []byte) {
	n := len(first) + len(second)
	w.buf = appendBulkHeader(w.buf, n)
	if n <= longCopy {
		w.buf = append(append(append(w.buf, first...), second...), lineEnd...)
		return
	}
	w.tail = append(append(make([]byte, 0, n), first...), second...)
}

const longCopy = 16 << 10

// instead replaces what was written after the first length bytes by an error.
func (w *writer) instead(length int, msg string) {
	w.buf, w.tail = w.buf[:length], nil
	w.fail(msg)
}

func (w *writer) bit(b bool) {
	if b {
		w.integer(1)
	} else {
		w.integer(0)
	}
}

func appendBulkHeader(b []byte, n int) []byte {
	header := len(b)
	b = redcon.AppendArray(b, n)
	b[header] = '$'
	return b
}
