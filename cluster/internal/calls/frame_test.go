package calls

import (
	"bytes"
	"testing"
)

// FuzzFrame holds that what is read of a frame is what it is made of again, and that nothing that
// comes ends the process.
func FuzzFrame(f *testing.F) {
	f.Add((&Frame{Kind: Call, P: 3, Node: "a", First: 1, N: 2, Body: []byte("body")}).Append(nil))
	f.Add([]byte{version, byte(Outcome), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		named := func(b []byte) string { return string(b) }
		read, err := Decode(b, named)
		if err != nil {
			return
		}
		again, err := Decode(read.Append(nil), named)
		if err != nil || again.Kind != read.Kind || again.P != read.P || again.Node != read.Node || again.First != read.First || again.N != read.N || !bytes.Equal(again.Body, read.Body) {
			t.Errorf("%+v is read again as %+v, %v", read, again, err)
		}
	})
}
