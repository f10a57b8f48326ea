package layout

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/freerun-go/freerun/cluster/internal/engine"
)

// TestBytes holds that the entries have the bytes that stores have: they are read for years.
func TestBytes(t *testing.T) {
	for _, c := range []struct{ name, got, want string }{
		{"records", Records("account"), "saccount\x00"},
		{"number", string(Numbered(Sent, 0x0102)), "o\x00\x00\x00\x00\x00\x00\x01\x02"},
		{"tell", string(Tell{"account", "ada", "deposit", []byte("\x00j5"), Reply{"a", "b", "c"}, []string{"d"}, nil}.Encode()), "\x01\x07account\x03ada\x07deposit\x03\x00j5\x01a\x01b\x01c\x02\x01d\x00"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestUnitOf(t *testing.T) {
	for _, key := range []string{"ada", "", "\x00", "a\x00b"} {
		kind, got, err := UnitOf([]byte(Records("account") + key))
		if err != nil || kind != "account" || got != key {
			t.Errorf("%q: %q of %q, %v", key, got, kind, err)
		}
	}
	for _, key := range []string{"", "s", "saccount", "s\x00ada", "oaccount\x00ada"} {
		if _, _, err := UnitOf([]byte(key)); !errors.Is(err, engine.ErrStateLost) {
			t.Errorf("%q: %v", key, err)
		}
	}
}

func TestNumberOf(t *testing.T) {
	for _, n := range []uint64{0, 1, 1 << 63} {
		if got, err := NumberOf(Numbered(Failure, n)); err != nil || got != n {
			t.Errorf("%d: %d, %v", n, got, err)
		}
	}
	for _, key := range []string{"", "f", "f1234567", "f123456789"} {
		if _, err := NumberOf([]byte(key)); !errors.Is(err, engine.ErrStateLost) {
			t.Errorf("%q: %v", key, err)
		}
	}
}

// TestTell holds that a Tell comes back with what is behind it, and that no part of one does.
func TestTell(t *testing.T) {
	want := Tell{"account", strings.Repeat("k", 200), "deposit", []byte{}, Reply{}, []string{"x", "yy"}, []Carried{{"tenant", []byte("a")}, {"b", []byte{}}}}
	b := want.Encode()
	got, rest, err := DecodeTell(append(bytes.Clone(b), "why"...))
	if err != nil || string(rest) != "why" || got.Kind != want.Kind || got.Key != want.Key || got.Operation != want.Operation || len(got.Arg) != 0 {
		t.Errorf("%+v, %q, %v", got, rest, err)
	}
	for n := range b {
		if _, _, err := DecodeTell(b[:n]); !errors.Is(err, engine.ErrStateLost) {
			t.Errorf("%d bytes of it: %v", n, err)
		}
	}
	long := append([]byte{Version}, bytes.Repeat([]byte{0xFF}, 9)...)
	for _, bad := range [][]byte{append(long, 0x01), append(long, 0x7F), {2}} {
		if _, _, err := DecodeTell(bad); !errors.Is(err, engine.ErrStateLost) {
			t.Errorf("%x: %v", bad, err)
		}
	}
}
