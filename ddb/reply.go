package ddb

import "github.com/tidwall/redcon"

// shareable is the length from which a value is immutable. Shorter ones are copied into the reply and overwritten in
// place by the next SET, which spares an allocation; longer ones are never overwritten (bytes may be appended behind
// them), so a reply refers to them and no copy is made, however many replies refer to one value.
const shareable = 512

// writer collects the replies of the commands that one goroutine answers, one after another.
// Not for concurrent use; the zero value is ready.
type writer struct {
	buf  []byte
	tail []byte // the bulk that follows buf, its own line end not included; nil for none
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

// bulk answers with v. It must be the last part of a command's reply, since a long v becomes the tail.
func (w *writer) bulk(v []byte) {
	if len(v) <= shareable {
		w.buf = redcon.AppendBulk(w.buf, v)
		return
	}
	w.buf = appendBulkHeader(w.buf, len(v))
	w.tail = v
}

// copied is bulk for a v that the shard may free or overwrite: nothing of it is referred to. Long ones get memory of their own, so that the buffer
// does not grow with them.
func (w *writer) copied(v []byte) {
	if len(v) <= longCopy {
		w.buf = redcon.AppendBulk(w.buf, v)
		return
	}
	w.buf = appendBulkHeader(w.buf, len(v))
	w.tail = append([]byte(nil), v...)
}

const longCopy = 16 << 10

// instead takes back what was written since the buffer had a length, and fails.
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
