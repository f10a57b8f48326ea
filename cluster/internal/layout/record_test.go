package layout

import (
	"bytes"
	"reflect"
	"testing"
	"time"
)

// TestRecord holds that a record comes back, with its timers, and that no part of it that is cut
// off within the timers does.
func TestRecord(t *testing.T) {
	timers := []Timer{
		{Name: "a", Due: time.Unix(1, 2).UTC(), Operation: "expire", Arg: []byte("\x00j1")},
		{Name: "", Due: Latest, Every: 1<<63 - 1, Operation: "tick", Arg: []byte{}},
		{Name: "past", Due: time.Unix(-5, 0).UTC(), Every: 1, Operation: "tick", Arg: []byte{1}},
	}
	for n := range len(timers) + 1 {
		begin := Begin(timers[:n], 50*n)
		r, err := DecodeRecord(append(bytes.Clone(begin), "\x00j5"...))
		if err != nil || string(r.State) != "\x00j5" || len(r.Timers) != n || n > 0 && !reflect.DeepEqual(r.Timers, timers[:n]) {
			t.Errorf("%d timers: %+v, %v", n, r, err)
		}
		for cut := range begin {
			if _, err := DecodeRecord(begin[:cut]); err == nil {
				t.Errorf("%d bytes of %d timers are taken", cut, n)
			}
		}
	}
	if b := string(Begin(timers[:1], 0)); b != "\x01\x01\x84\xa8\xd6\xb9\x07\x00\x01a\x06expire\x03\x00j1" {
		t.Errorf("%q", b) // stores are read for years
	}
	for _, bad := range []string{"", "\x00j1", "\x02j1", "\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"} {
		if _, err := DecodeRecord([]byte(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestNext(t *testing.T) {
	at := time.Unix(100, 0)
	timer := Timer{Due: at, Every: time.Minute}
	for _, c := range []struct {
		now  time.Duration
		next time.Duration
	}{{0, time.Minute}, {time.Second, time.Minute}, {time.Minute, 2 * time.Minute}, {10*time.Minute - 1, 10 * time.Minute}} {
		if got := timer.Next(at.Add(c.now)).Sub(at); got != c.next {
			t.Errorf("%v later: %v, want %v", c.now, got, c.next)
		}
	}
	timer.Every = 1<<63 - 1
	if got := timer.Next(at); got != Latest {
		t.Errorf("%v", got)
	}
}

func TestWake(t *testing.T) {
	at := time.Unix(5, 6).UTC()
	record := []byte(Records("account") + "a\x00da")
	if key := WakeOf(record); string(key) != "taccount\x00a\x00da" || !bytes.Equal(RecordOf(key), record) {
		t.Errorf("%q", key)
	}
	if got, err := DecodeWake(EncodeWake(at)); err != nil || !got.Equal(at) {
		t.Errorf("%v, %v", got, err)
	}
	for _, bad := range []string{"", "\x02\x00", "\x01", "\x01\x00\x00"} {
		if _, err := DecodeWake([]byte(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestOutcome(t *testing.T) {
	want := Outcome{time.Unix(7, 8).UTC(), "deposit", []byte("j5"), []byte{}}
	b := want.Encode()
	if got, err := DecodeOutcome(b); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	for n := range b {
		if _, err := DecodeOutcome(b[:n]); err == nil {
			t.Errorf("%d bytes of it are taken", n)
		}
	}
	if _, err := DecodeOutcome(append(b, 0)); err == nil {
		t.Error("what is behind it is taken")
	}
	key := OnceOf("account", "a\x00da", "id")
	if string(key) != "iaccount\x00\x04a\x00daid" {
		t.Errorf("%q", key)
	}
	if kind, of, id, err := DecodeOnce(key); err != nil || kind != "account" || of != "a\x00da" || id != "id" {
		t.Errorf("%q of %q of kind %q, %v", id, of, kind, err)
	}
	for _, bad := range []string{"", "i", "iaccount", "iaccount\x00", "iaccount\x00\x04ada", "i\x00\x00", "saccount\x00\x00"} {
		if _, _, _, err := DecodeOnce([]byte(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	at, outcome, err := DecodeExpiry(ExpiryOf(want.Expires, key))
	if err != nil || !at.Equal(want.Expires) || !bytes.Equal(outcome, key) {
		t.Errorf("%v, %q, %v", at, outcome, err)
	}
	if _, _, err := DecodeExpiry([]byte("x1234567")); err == nil {
		t.Error("a key without a time is taken")
	}
}

func TestVersion(t *testing.T) {
	for _, v := range []int{0, 1, 127, 128, 1 << 20} {
		got, rest, err := CutVersion(append(AppendVersion(nil, v), "j1"...))
		if err != nil || got != v || string(rest) != "j1" {
			t.Errorf("%d: %d, %q, %v", v, got, rest, err)
		}
	}
	for _, bad := range []string{"", "\x80", "\xff\xff\xff\xff\xff\x01j1"} {
		if _, _, err := CutVersion([]byte(bad)); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
