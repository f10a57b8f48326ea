package partition

import (
	"bytes"
	"reflect"
	"testing"
	"time"
)

var entries = []Entry{
	{Opening: &Opening{"n1"}},
	{Closing: &Closing{7, 1 << 40}},
	{Command: &Command{From: Source{Session: 3}, Prev: Number{1, 0}, N: Number{2, 0}, Known: Number{1, 0}, Unit: "account\x00ada", Body: []byte("body")}},
	{Command: &Command{From: Source{Outbox: 63}, Prev: Number{9, 3}, N: Number{1 << 50, 1}, Told: true, Body: []byte{}}},
}

var records = []Record{
	{},
	{Last: 5, Forgotten: time.Unix(1, 5).UTC(), Write: "n1/7"},
	{
		Last:     1 << 40,
		Outcomes: []Outcome{{3, Number{2, 0}, []byte("42")}, {4, Number{1, 0}, []byte{}}},
		Sends:    []Send{{9, 2, "u", []byte("b")}, {9, 3, "", []byte{}}},
	},
}

var messages = []message{
	{kind: beat, node: "n1"},
	{kind: goodbye, node: ""},
	{kind: outcome, p: 63, session: 1 << 40, n: Number{4, 0}, value: []byte("42")},
	{kind: closed, p: 2, session: 5},
	{kind: request, p: 2, call: 1 << 40, node: "n1", unit: "account\x00ada", value: []byte("body")},
	{kind: reply, p: 2, call: 7, status: uncertain, value: []byte("42")},
	{kind: whether, p: 2, call: 1 << 40, node: "n1"},
}

func someCheckpoint() checkpoint {
	c := newCheckpoint()
	c.seq = 77
	c.sessions[3] = &sessionMark{"n1", 70, Number{9, 0}, Number{8, 0}}
	c.sessions[1] = &sessionMark{"", 1, Number{}, Number{}}
	c.outboxes[2] = Number{4, 1}
	c.sent[0] = Number{76, 2}
	return c
}

// TestFrames holds that what is stored comes back, and that no part of it does.
func TestFrames(t *testing.T) {
	for _, want := range entries {
		b := want.Encode()
		got, err := Decode(b)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v came back as %+v, %v", want, got, err)
		}
	}
	for _, want := range records {
		b := want.Append(nil)
		got, rest, err := DecodeRecord(append(bytes.Clone(b), "state"...))
		if err != nil || string(rest) != "state" || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v came back as %+v with %q behind it, %v", want, got, rest, err)
		}
		for n := range b {
			if _, _, err := DecodeRecord(b[:n]); err == nil {
				t.Errorf("%d bytes of a record were read", n)
			}
		}
	}
	for _, want := range messages {
		if got, err := decodeMessage(want.encode()); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v came back as %+v, %v", want, got, err)
		}
	}
	want := someCheckpoint()
	b := want.encode()
	if got, err := decodeCheckpoint(b); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v came back as %+v, %v", want, got, err)
	}
	for n := range b {
		if _, err := decodeCheckpoint(b[:n]); err == nil {
			t.Errorf("%d bytes of a checkpoint were read", n)
		}
	}
}

// TestNewerFrames holds that what a newer program has written is refused, with a reason.
func TestNewerFrames(t *testing.T) {
	newer := []byte{version + 1, 1, 2, 3}
	_, err1 := Decode(newer)
	_, _, err2 := DecodeRecord(newer)
	_, err3 := decodeCheckpoint(newer)
	if _, err := decodeMessage(newer); err == nil {
		t.Error("a newer message is read")
	}
	for _, err := range []error{err1, err2, err3} {
		if err == nil || !bytes.Contains([]byte(err.Error()), []byte("a newer one has written it")) {
			t.Errorf("a newer form is read with %v", err)
		}
	}
}

func FuzzEntry(f *testing.F) {
	for _, e := range entries {
		f.Add(e.Encode())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := Decode(b)
		if err != nil {
			return
		}
		if again, err := Decode(e.Encode()); err != nil || !reflect.DeepEqual(again, e) {
			t.Errorf("%+v came back as %+v, %v", e, again, err)
		}
	})
}

func FuzzMessage(f *testing.F) {
	for _, m := range messages {
		f.Add(m.encode())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := decodeMessage(b)
		if err != nil {
			return
		}
		if again, err := decodeMessage(m.encode()); err != nil || !reflect.DeepEqual(again, m) {
			t.Errorf("%+v came back as %+v, %v", m, again, err)
		}
	})
}

func FuzzRecord(f *testing.F) {
	for _, r := range records {
		f.Add(append(r.Append(nil), "state"...))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, rest, err := DecodeRecord(b)
		if err != nil {
			return
		}
		again, rest2, err := DecodeRecord(append(r.Append(nil), rest...))
		if err != nil || !bytes.Equal(rest, rest2) || !reflect.DeepEqual(again, r) {
			t.Errorf("%+v came back as %+v, %v", r, again, err)
		}
	})
}

func FuzzCheckpoint(f *testing.F) {
	c := someCheckpoint()
	f.Add(c.encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := decodeCheckpoint(b)
		if err != nil {
			return
		}
		if again, err := decodeCheckpoint(c.encode()); err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("%+v came back as %+v, %v", c, again, err)
		}
	})
}
