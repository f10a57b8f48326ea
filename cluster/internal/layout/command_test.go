package layout

import (
	"reflect"
	"testing"
	"time"
)

// TestCommand holds that a command, and an outcome, come back, and that no part of one does.
func TestCommand(t *testing.T) {
	for _, want := range []Command{
		{"deposit", []byte("\x00j5"), Reply{"account", "ada", "heard"}, "once", nil, time.Unix(1, 2).UTC(), []Carried{{"tenant", []byte("\x00j7")}, {"empty", []byte{}}}},
		{"move", []byte("\x00j5"), Reply{}, "", []string{"a", "", "a longer name"}, time.Time{}, nil},
		{Arg: []byte{}}, // it wakes
	} {
		b := want.Encode()
		if got, err := DecodeCommand(b); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v", got, err)
		}
		for n := range b {
			if _, err := DecodeCommand(b[:n]); err == nil {
				t.Errorf("%d bytes of %+v are taken", n, want)
			}
		}
		if _, err := DecodeCommand(append(b, 0)); err == nil {
			t.Error("what is behind it is taken")
		}
	}
	if b := string(Command{"a", []byte("b"), Reply{"c", "d", "e"}, "f", []string{"g", "hi"}, time.Time{}, []Carried{{"j", []byte("k")}}}.Encode()); b != "\x01\x01a\x01b\x01c\x01d\x01e\x01f\x00\x05\x01g\x02hi\x04\x01j\x01k" {
		t.Errorf("%q", b) // logs are read by later programs
	}
	for _, want := range []Result{{Value: []byte("j5"), Err: []byte{}}, {Value: []byte{}, Err: []byte("{}")}} {
		b := want.Encode()
		if got, err := DecodeResult(b); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, %v", got, err)
		}
		for n := range b {
			if _, err := DecodeResult(b[:n]); err == nil {
				t.Errorf("%d bytes of an outcome are taken", n)
			}
		}
	}
	for _, refused := range []bool{false, true} {
		b := CutResult(Result{Value: make([]byte, 100), Err: make([]byte, 100), Refused: refused}.Encode())
		if got, err := DecodeResult(b); err != nil || !got.Cut || got.Refused != refused || len(b) > 4 {
			t.Errorf("cut, refused: %v: %+v in %d bytes, %v", refused, got, len(b), err)
		}
	}
}

func TestCutWake(t *testing.T) {
	for _, want := range []time.Time{{}, time.Unix(5, 6).UTC(), Latest} {
		at, rest, err := CutWake(append(EncodeWake(want), "state"...))
		if err != nil || !at.Equal(want) || string(rest) != "state" {
			t.Errorf("%v: %v, %q, %v", want, at, rest, err)
		}
	}
	for _, bad := range []string{"", "\x02\x00", "\x01", "\x01\xff"} {
		if _, _, err := CutWake([]byte(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func FuzzDecodeCommand(f *testing.F) {
	f.Add(Command{"deposit", []byte("\x00j5"), Reply{"account", "ada", "heard"}, "once", []string{"g", "hi"}, time.Unix(1, 2).UTC(), nil}.Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if c, err := DecodeCommand(b); err == nil {
			if again, err := DecodeCommand(c.Encode()); err != nil || !reflect.DeepEqual(again, c) {
				t.Errorf("%+v comes back as %+v, %v", c, again, err)
			}
		}
		_, _ = DecodeResult(b)
		_, _, _ = CutWake(b)
	})
}
