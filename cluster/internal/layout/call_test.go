package layout

import (
	"reflect"
	"testing"
	"time"
)

// FuzzCall holds that what is read of a call is what it is made of again, and that nothing that
// comes ends the process.
func FuzzCall(f *testing.F) {
	c := Call{
		Kind: []byte("room"), Operation: []byte("enter"), Key: "lobby", Arg: []byte("j1"), Deadline: time.Unix(1, 2).UTC(),
		Flags: Told, Values: []Carried{{"tenant", []byte(`"acme"`)}},
	}
	f.Add(c.Encode())
	f.Add([]byte{Version, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		read, err := DecodeCall(b)
		if err != nil {
			return
		}
		again, err := DecodeCall(read.Encode())
		if err != nil || !reflect.DeepEqual(again, read) {
			t.Errorf("%+v is read again as %+v, %v", read, again, err)
		}
	})
}
